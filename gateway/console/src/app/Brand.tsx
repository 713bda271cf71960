import { chooseOffice } from "../api/office";

interface Named {
  id: string;
  name: string;
}

/** The word mark: a voice's wave, half of it in the warm colour of an answer; and the office, to be chosen where there are several. */
export function Brand({ tenant, tenants = [] }: { tenant?: Named | null | undefined; tenants?: readonly Named[] }) {
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      <svg viewBox="0 0 32 32" className="size-8 shrink-0" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="8" fill="#1c4f8f" />
        <g strokeWidth="2.6" strokeLinecap="round" fill="none">
          <path d="M7 14v4M12 10v12M17 6.500v19" stroke="#ffffff" />
          <path d="M22 11v10M26.500 14.500v3" stroke="#f2c078" />
        </g>
      </svg>
      <p className="min-w-0 leading-tight">
        <span className="block text-sm font-semibold whitespace-nowrap">Quandura Voice</span>
        {tenant && tenants.length <= 1 && <span className="block truncate text-xs text-muted">{tenant.name}</span>}
        {tenant && tenants.length > 1 && (
          <select
            aria-label="Office"
            value={tenant.id}
            onChange={(event) => {
              chooseOffice(event.target.value);
              // A fresh load shows that office, and nothing of the other.
              location.reload();
            }}
            className="block min-h-6 max-w-40 truncate rounded bg-panel text-xs text-muted"
          >
            {tenants.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </p>
    </div>
  );
}
