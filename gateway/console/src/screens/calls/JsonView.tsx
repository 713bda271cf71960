/** A JSON value as a tree that folds. Native details elements: keyboard and screen reader support come with them. */
export function JsonView({ value }: { value: unknown }) {
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-ground p-3 font-mono text-xs leading-5" role="group" aria-label="JSON document">
      <Node name={null} value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { name: string | null; value: unknown; depth: number }) {
  const label = name === null ? null : <span className="text-accent">{name}: </span>;
  if (value === null || typeof value !== "object") {
    return (
      <div className="break-words whitespace-pre-wrap">
        {label}
        <span className={typeof value === "string" ? "text-good" : "text-warm"}>{JSON.stringify(value)}</span>
      </div>
    );
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0) {
    return (
      <div>
        {label}
        <span className="text-muted">{Array.isArray(value) ? "[]" : "{}"}</span>
      </div>
    );
  }
  return (
    <details open={depth < 1} className="fold">
      <summary className="rounded hover:bg-raised">
        {label}
        <span className="text-muted">{size}</span>
      </summary>
      <div className="ml-1 border-l border-line pl-3">
        {entries.map(([key, child]) => (
          <Node key={key} name={key} value={child} depth={depth + 1} />
        ))}
      </div>
    </details>
  );
}
