import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import type { Effect, Me } from "../../api/types";
import { actsOnCalls } from "../../app/permissions";
import { useNow } from "../../app/now";
import { hrefs } from "../../app/route";
import { words } from "../../model/format";
import { when } from "../../model/when";
import { Badge, type Tone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { Dialog } from "../../ui/Dialog";
import { FieldList } from "../../ui/FieldList";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

const STATES: readonly (readonly [string, string, Tone])[] = [
  ["held", "Waits for a person", "warm"],
  ["pending", "On its way", "accent"],
  ["sent", "Made", "good"],
  ["failed", "Could not be made", "danger"],
  ["rejected", "Not made: a person said no", "plain"],
];
const stateOf = (state: string) => STATES.find(([known]) => known === state);
/** What waits may come at any time; whoever looks sees it without asking. */
const LOOK_MS = 10_000;

/** The payload's plain values; what is nested stays in one line. */
const fields = (payload: unknown): [string, string][] =>
  payload !== null && typeof payload === "object" ? Object.entries(payload).map(([name, value]) => [words(name), typeof value === "string" ? value : JSON.stringify(value)]) : [];

/** What leaves for other systems: held until a person decides, or on its way. */
export function HeldPart({ me }: { me: Me }) {
  const now = useNow();
  const [state, setState] = useState("held");
  const [list, setList] = useState<{ items: readonly Effect[]; cursor: string | null } | null>(null);
  const [asked, setAsked] = useState<{ effect: Effect; approve: boolean } | null>(null);
  const [told, setTold] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const look = (): void =>
      void api
        .effects(state, null, { signal: abort.signal })
        .then((page) => setList({ items: page.items, cursor: page.next_cursor }))
        .catch((failure: unknown) => {
          if (!abort.signal.aborted) setError(failure);
        });
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [state, revision]);
  const decide = (): void => {
    if (!asked) return;
    const { effect, approve } = asked;
    setAsked(null);
    void api
      .decideEffect(effect.id, approve)
      .then(() => {
        setTold(approve ? `${words(effect.tool)}: it is made now.` : `${words(effect.tool)}: it is not made.`);
        setError(null);
      })
      .catch(setError)
      .finally(() => setRevision((n) => n + 1));
  };
  const more = (): void => {
    if (!list?.cursor) return;
    void api
      .effects(state, list.cursor)
      .then((page) => setList({ items: [...list.items, ...page.items], cursor: page.next_cursor }))
      .catch(setError);
  };
  return (
    <div className="mt-5 space-y-4">
      {error !== null && <Note alert>{explain(error)}</Note>}
      <Panel
        title="What leaves for other systems"
        level={2}
        aside={
          <label className="text-sm font-medium">
            <span className="sr-only">State</span>
            <select
              value={state}
              onChange={(event) => {
                setList(null);
                setState(event.target.value);
              }}
              className={INPUT}
            >
              {STATES.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        }
      >
        <p role="status" className="text-sm font-medium text-good empty:hidden">
          {told}
        </p>
        {list === null && error === null && <p className="text-sm text-muted">Loading…</p>}
        {list?.items.length === 0 && <p className="text-sm text-muted">{state === "held" ? "Nothing waits for a person." : "None."}</p>}
        <ul className="divide-y divide-line text-sm">
          {list?.items.map((effect) => (
            <li key={effect.id} data-effect={effect.id} className="py-3">
              <div className="flex flex-wrap items-center justify-between gap-2">
                <p className="min-w-0 break-words">
                  <span className="font-medium">{words(effect.tool)}</span> <Badge tone={stateOf(effect.state)?.[2] ?? "plain"}>{stateOf(effect.state)?.[1] ?? words(effect.state)}</Badge>
                  <span className="mt-1 block text-xs break-all text-muted">
                    {when(effect.created_at, now)} · to {effect.destination}
                    {effect.decided_by && ` · decided by ${effect.decided_by}`}
                    {effect.problem && ` · ${words(effect.problem)}`}
                  </span>
                </p>
                {effect.state === "held" && actsOnCalls(me) && (
                  <p className="flex flex-wrap gap-2">
                    <Button tone="primary" onClick={() => setAsked({ effect, approve: true })}>
                      Approve
                    </Button>
                    <Button onClick={() => setAsked({ effect, approve: false })}>Reject</Button>
                  </p>
                )}
              </div>
              <div className="mt-2">
                <FieldList fields={fields(effect.payload)} />
              </div>
              {effect.call_id && (
                <a href={hrefs.call(effect.call_id)} className="mt-2 inline-block text-accent underline">
                  The call
                </a>
              )}
            </li>
          ))}
        </ul>
        {list?.cursor && <Button onClick={more}>Show more</Button>}
      </Panel>
      <Dialog open={asked !== null} title={asked?.approve ? `Approve: ${words(asked.effect.tool)}?` : `Reject: ${words(asked?.effect.tool ?? "")}?`} onClose={() => setAsked(null)}>
        <p className="text-sm">{asked?.approve ? "It leaves for the other system at once, and cannot be taken back here." : "It is not made, and nobody is asked again."}</p>
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={() => setAsked(null)}>Not yet</Button>
          <Button tone={asked?.approve ? "primary" : "danger"} onClick={decide}>
            {asked?.approve ? "Approve" : "Reject"}
          </Button>
        </div>
      </Dialog>
    </div>
  );
}
