import type { LedgerEntry } from "../../api/types";
import { hrefs } from "../../app/route";
import { clockTime, dateTime } from "../../model/format";
import { sureness, told, who } from "../../model/passport";

/** Who did what, in order, in plain words. The ledger is append-only, so this is the story of the call and of what came after it. */
export function Ledger({ entries }: { entries: readonly LedgerEntry[] }) {
  if (entries.length === 0) return <p className="text-sm text-muted">Nothing yet.</p>;
  return (
    <ol className="space-y-3 border-l border-line pl-3.5 text-sm">
      {entries.map((entry, index) => (
        <Act key={entry.id ?? index} entry={entry} />
      ))}
    </ol>
  );
}

/** Below this an agent was unsure enough to say so. */
const UNSURE = 0.6;

function Act({ entry }: { entry: LedgerEntry }) {
  const { what, detail, references } = told(entry);
  const sure = sureness(entry);
  return (
    <li className="skip-when-far">
      <p className="flex justify-between gap-x-3">
        <span className="min-w-0 break-words">
          {what}
          {references.map((reference) => (
            <a key={reference} href={hrefs.request(reference)} className="ml-1.5 font-mono text-accent underline underline-offset-2">
              {reference}
            </a>
          ))}
        </span>
        {entry.timestamp && (
          <time dateTime={entry.timestamp} title={dateTime(entry.timestamp)} className="figures text-xs leading-5 whitespace-nowrap text-muted">
            {clockTime(entry.timestamp)}
          </time>
        )}
      </p>
      {detail && <p className="break-words text-muted">{detail}</p>}
      <p className="text-xs text-muted">
        {who(entry.agent_id)}
        {sure !== null && sure > 0 && sure < UNSURE && <span className="text-warm">, {Math.round(sure * 100)}% sure</span>}
      </p>
    </li>
  );
}
