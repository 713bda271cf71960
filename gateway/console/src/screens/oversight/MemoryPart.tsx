import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import type { Me, MemorySuggestion, RememberedCaller } from "../../api/types";
import { actsOnCalls } from "../../app/permissions";
import { useNow } from "../../app/now";
import { hrefs } from "../../app/route";
import { words } from "../../model/format";
import { when } from "../../model/when";
import { Badge, type Tone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { FieldList } from "../../ui/FieldList";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

const VERDICTS: Record<string, readonly [string, Tone]> = {
  stored: ["Remembered", "good"],
  confirmed: ["Was known", "plain"],
  replaced: ["Took the place of what was known", "good"],
  kept_existing: ["What was known stays", "plain"],
  refused: ["Not remembered", "warm"],
  forgotten: ["Forgotten", "plain"],
};

/** What the agents suggested to remember of callers, and what the memory manager made of it. */
export function MemoryPart({ me }: { me: Me }) {
  const now = useNow();
  const [list, setList] = useState<{ items: readonly MemorySuggestion[]; cursor: string | null } | null>(null);
  const [caller, setCaller] = useState<RememberedCaller | null>(null);
  const [told, setTold] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    api
      .suggestions(null, { signal: abort.signal })
      .then((page) => setList({ items: page.items, cursor: page.next_cursor }))
      .catch((failure: unknown) => {
        if (!abort.signal.aborted) setError(failure);
      });
    return () => abort.abort();
  }, [revision]);
  const open = (contact: string): void => void api.rememberedCaller(contact).then(setCaller).catch(setError);
  const more = (): void => {
    if (!list?.cursor) return;
    void api
      .suggestions(list.cursor)
      .then((page) => setList({ items: [...list.items, ...page.items], cursor: page.next_cursor }))
      .catch(setError);
  };
  const forget = (): void => {
    if (!caller) return;
    setCaller(null);
    void api
      .forgetCaller(caller.id)
      .then(() => {
        setTold("Forgotten. Nothing is remembered of this caller from now on.");
        setError(null);
      })
      .catch(setError)
      .finally(() => setRevision((n) => n + 1));
  };
  return (
    <div className="mt-5 space-y-4">
      {error !== null && <Note alert>{explain(error)}</Note>}
      <Panel title="What was suggested" level={2}>
        <p className="text-sm text-muted">Agents suggest; the memory manager alone decides, and says why. Names and addresses are shown as tokens.</p>
        <p role="status" className="mt-2 text-sm font-medium text-good empty:hidden">
          {told}
        </p>
        {list === null && error === null && <p className="mt-2 text-sm text-muted">Loading…</p>}
        {list?.items.length === 0 && <p className="mt-2 text-sm text-muted">Nothing yet.</p>}
        <ul className="mt-2 divide-y divide-line text-sm">
          {list?.items.map((one) => {
            const contact = one.decision?.contact_id;
            const [verdict, tone] = one.decision ? (VERDICTS[one.decision.verdict] ?? [words(one.decision.verdict), "plain" as const]) : (["Not decided yet", "accent"] as const);
            return (
              <li key={one.id} data-suggestion={one.id} className="flex flex-wrap items-start justify-between gap-2 py-3">
                <div className="min-w-0 flex-1 break-words">
                  <p>
                    <span className="font-medium">{words(one.key)}:</span> {typeof one.value === "string" ? one.value : JSON.stringify(one.value)} <Badge tone={tone}>{verdict}</Badge>
                  </p>
                  {one.decision && <p className="mt-1">{words(one.decision.reason)}</p>}
                  <p className="mt-1 text-xs text-muted">
                    {when(one.created_at, now)} · {words(one.agent_id.replaceAll("/", ", "))} · {Math.round(one.confidence * 100)}% sure
                    {one.call_id && (
                      <>
                        {" · "}
                        <a href={hrefs.call(one.call_id)} className="text-accent underline">
                          The call
                        </a>
                      </>
                    )}
                  </p>
                </div>
                {contact && <Button onClick={() => open(contact)}>What is known of this caller</Button>}
              </li>
            );
          })}
        </ul>
        {list?.cursor && <Button onClick={more}>Show more</Button>}
      </Panel>
      <Dialog open={caller !== null} title="What is known of this caller" onClose={() => setCaller(null)}>
        {caller?.opt_out && <p className="text-sm">They asked that nothing be remembered.</p>}
        {caller && !caller.opt_out && caller.memories.length === 0 && <p className="text-sm">Nothing.</p>}
        {caller && <FieldList fields={caller.memories.map(({ key, value }) => [words(key), typeof value === "string" ? value : JSON.stringify(value)] as const)} />}
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button onClick={() => setCaller(null)}>Close</Button>
          {caller && !caller.opt_out && actsOnCalls(me) && (
            <Button tone="danger" onClick={forget}>
              Forget, and remember nothing from now on
            </Button>
          )}
        </div>
      </Dialog>
    </div>
  );
}
