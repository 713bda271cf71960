import type { LedgerEntry } from "../../api/types";
import { clockTime, words } from "../../model/format";

const confidence = (entry: LedgerEntry): number | undefined =>
  typeof entry.confidence === "number" ? entry.confidence : entry.confidence?.value;

/** Who did what, in order. The ledger is append-only, so this is the story of the work item. */
export function Ledger({ entries }: { entries: readonly LedgerEntry[] }) {
  if (entries.length === 0) return <p className="text-sm text-muted">No entries yet.</p>;
  return (
    <ol className="space-y-2.5 border-l border-line pl-3.5 text-sm">
      {entries.map((entry, index) => {
        const sure = confidence(entry);
        return (
          <li key={entry.id ?? index}>
            <p className="flex flex-wrap justify-between gap-x-3">
              <span className="font-medium">{words(entry.action ?? "Entry")}</span>
              {entry.timestamp && <span className="figures text-xs leading-5 text-muted">{clockTime(entry.timestamp)}</span>}
            </p>
            {entry.outputs_summary && <p className="text-muted">{entry.outputs_summary}</p>}
            <p className="text-xs text-muted">
              {entry.agent_id ? words(entry.agent_id) : "Unknown agent"}
              {sure !== undefined && `, confidence ${Math.round(sure * 100)}%`}
            </p>
          </li>
        );
      })}
    </ol>
  );
}
