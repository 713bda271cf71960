import { explain } from "../../api/client";
import type { Fault } from "../../model/config";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import type { Laying } from "./useConfig";

type Props = Pick<Laying, "checked" | "error" | "busy" | "applied" | "canTakeBack" | "apply" | "takeBack">;

/** What the gateway says of a document: what is wrong and where, or what it would change; then the button that applies it. */
export function Outcome({ config: { checked, error, busy, applied, canTakeBack, apply, takeBack } }: { config: Props }) {
  return (
    <Panel title="Check and apply" level={2}>
      <p className="text-sm text-muted">Nothing changes before it is applied. The next call is answered by it; one that is under way ends as it began.</p>
      <div role="status" className="mt-3 text-sm empty:hidden">
        {checked && <Said faults={checked.faults} changes={checked.changes} />}
        {applied && (
          <>
            <p className="font-medium text-good">Applied.</p>
            <Changes changes={applied} />
          </>
        )}
      </div>
      {error !== null && (
        <div className="mt-3">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        <Button type="submit" tone={checked?.valid ? "plain" : "primary"} disabled={busy}>
          Check
        </Button>
        {checked?.valid && checked.changes.length > 0 && (
          <Button tone="primary" disabled={busy} onClick={() => void apply()}>
            Apply
          </Button>
        )}
        {applied && canTakeBack && (
          <Button disabled={busy} onClick={() => void takeBack()}>
            Take it back
          </Button>
        )}
      </div>
    </Panel>
  );
}

function Said({ faults, changes }: { faults: readonly Fault[]; changes: readonly string[] }) {
  if (faults.length === 0 && changes.length === 0) return <p>It is as the line has it: there is nothing to apply.</p>;
  if (faults.length === 0) {
    return (
      <>
        <p className="font-medium">It would change:</p>
        <Changes changes={changes} />
      </>
    );
  }
  return (
    <>
      <p className="font-medium text-danger">{faults.length === 1 ? "One thing is wrong:" : `${faults.length} things are wrong:`}</p>
      <ul className="mt-1 list-disc space-y-1 pl-5">
        {faults.map((fault) => (
          <li key={`${fault.key} ${fault.message}`} className="break-words">
            {fault.line ? `Line ${fault.line}: ` : ""}
            <span className="font-mono text-xs">{fault.key}</span> {fault.message}
          </li>
        ))}
      </ul>
    </>
  );
}

const Changes = ({ changes }: { changes: readonly string[] }) => (
  <ul className="mt-1 list-disc space-y-1 pl-5">
    {changes.map((change) => (
      <li key={change} className="break-words">
        {change}
      </li>
    ))}
  </ul>
);
