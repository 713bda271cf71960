import { explain } from "../../api/client";
import { consoleStore, useConsole } from "../../app/console";
import { liveCalls, recentCalls } from "../../model/select";
import type { Call } from "../../model/state";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { CallRow } from "./CallRow";

export function CallList({ selected }: { selected: string | null }) {
  const { state, listError } = useConsole((now) => now);
  const live = liveCalls(state);
  return (
    <div className="p-3 sm:p-4">
      {listError !== null && (
        <div className="mb-4">
          <Note alert>
            <p>{explain(listError)}</p>
            <Button className="mt-2" onClick={() => consoleStore.reload()}>
              Load again
            </Button>
          </Note>
        </div>
      )}
      <Group title="Live" calls={live} selected={selected} none="No one is on the line." />
      <Group
        title="Recent"
        calls={recentCalls(state)}
        selected={selected}
        none={state.listed ? "Calls that have ended are listed here." : "Loading…"}
      />
    </div>
  );
}

interface GroupProps {
  title: string;
  calls: Call[];
  selected: string | null;
  none: string;
}

function Group({ title, calls, selected, none }: GroupProps) {
  return (
    <section aria-label={`${title} calls`} className="mb-5">
      <h2 className="mb-2 flex items-baseline gap-2 px-2 text-sm font-semibold text-muted">
        {title}
        {calls.length > 0 && <span className="figures text-xs font-normal">{calls.length}</span>}
      </h2>
      {calls.length === 0 ? (
        <p className="px-2 text-sm text-muted">{none}</p>
      ) : (
        <ul className="space-y-1">
          {calls.map((call) => (
            <CallRow key={call.facts.id} call={call} selected={call.facts.id === selected} />
          ))}
        </ul>
      )}
    </section>
  );
}
