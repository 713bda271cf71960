/** Names and values, one pair a line. */
export function FieldList({ fields }: { fields: readonly (readonly [string, string])[] }) {
  return (
    <dl className="space-y-1.5 text-sm">
      {fields.map(([name, value]) => (
        <div key={name} className="grid grid-cols-[7rem_minmax(0,1fr)] gap-3">
          <dt className="text-muted">{name}</dt>
          <dd className="figures break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
