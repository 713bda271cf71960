import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import type { Me, WorkItemDetail } from "../../api/types";
import { useConsole } from "../../app/console";
import { useNow } from "../../app/now";
import { hrefs } from "../../app/route";
import { dateTime, fieldText } from "../../model/format";
import { Badge } from "../../ui/Badge";
import { EmptyState } from "../../ui/EmptyState";
import { Panel } from "../../ui/Panel";
import { actPhrase, dueText, fieldName, isClosed, kindName, plainValue, stateName } from "./labels";
import { reference } from "./reference";
import { RequestActs } from "./RequestActs";
import { RevealDialog, Revealing } from "./Revealing";

const ACTS_FOR = ["clerk", "supervisor", "tenant-admin", "platform-admin"];

/** One request: what was asked, what was done about it, and what can be done now. */
export function RequestPage({ id, me }: { id: string; me: Me }) {
  const revision = useConsole((now) => now.state.workRevision + now.epoch);
  const [item, setItem] = useState<WorkItemDetail | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const abort = new AbortController();
    api
      .workItem(id, { signal: abort.signal })
      .then((found) => {
        setItem(found);
        setError(null);
      })
      .catch((failure: unknown) => {
        if (!abort.signal.aborted) setError(failure);
      });
    return () => abort.abort();
  }, [id, revision]);

  if (!item) {
    if (error === null) return <p className="p-6 text-muted">Loading the request…</p>;
    return (
      <EmptyState icon="work" title="This request cannot be shown">
        <p>{explain(error)}</p>
        <a href={hrefs.work} className="text-accent underline underline-offset-2">
          Back to all requests
        </a>
      </EmptyState>
    );
  }
  return <Request item={item} me={me} onChanged={setItem} />;
}

function Request({ item, me, onChanged }: { item: WorkItemDetail; me: Me; onChanged: (item: WorkItemDetail) => void }) {
  const now = useNow(!isClosed(item));
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  const [asking, setAsking] = useState<string | null>(null);
  const may = me.roles.some((role) => ACTS_FOR.includes(role));
  const text = (value: string) => (
    <Revealing text={value} known={known} {...(may && { onReveal: setAsking })} />
  );
  const due = dueText(item, now);
  const fields = (item.fields ?? []).filter((field) => field.name !== "reference" && field.value !== false);
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-3xl space-y-4 px-4 py-6 sm:px-6" data-request={item.id}>
        <a href={hrefs.work} className="text-sm text-accent underline underline-offset-2">
          All requests
        </a>
        <div>
          <h1 className="text-2xl font-semibold break-words">{text(item.title)}</h1>
          <p className="mt-2 flex flex-wrap items-center gap-2 text-sm text-muted">
            <span className="font-mono font-semibold text-text">{reference(item)}</span>
            <Badge>{kindName(item.kind)}</Badge>
            <Badge tone={item.status === "done" ? "good" : "plain"}>{stateName(item.status)}</Badge>
            {item.assignee && <span>{isClosed(item) ? `by ${item.assignee}` : `with ${item.assignee}`}</span>}
            {due && <Badge tone={item.overdue ? "danger" : "warm"}>{due}</Badge>}
          </p>
        </div>
        {may && <RequestActs item={item} me={me.subject} onChanged={onChanged} />}
        <Panel level={2} title="What was asked">
          <dl className="space-y-2 text-sm">
            {fields.map((field) => (
              <div key={field.name} className="grid gap-x-3 sm:grid-cols-[10rem_minmax(0,1fr)]">
                <dt className="text-muted">{fieldName(field.name)}</dt>
                <dd className="figures break-words">{text(fieldText(plainValue(field.value)))}</dd>
              </div>
            ))}
            <div className="grid gap-x-3 sm:grid-cols-[10rem_minmax(0,1fr)]">
              <dt className="text-muted">Taken</dt>
              <dd>
                <time dateTime={item.created_at}>{dateTime(item.created_at)}</time>
                {item.call_id && (
                  <>
                    {", "}
                    <a href={hrefs.call(item.call_id)} className="text-accent underline underline-offset-2">
                      on this call
                    </a>
                  </>
                )}
              </dd>
            </div>
          </dl>
        </Panel>
        <Panel level={2} title="What was done">
          {item.history.length === 0 ? (
            <p className="text-sm text-muted">Nobody has done anything about it yet.</p>
          ) : (
            <ol className="space-y-3 text-sm">
              {item.history.map((act) => (
                <li key={act.id} className="border-l-2 border-line pl-3">
                  <p>
                    <span className="font-medium">{act.actor}</span> {actPhrase(act)}
                    <time dateTime={act.at} className="ml-2 text-xs text-muted">
                      {dateTime(act.at)}
                    </time>
                  </p>
                  {act.note && <p className="mt-1 break-words whitespace-pre-wrap">{text(act.note)}</p>}
                  {act.reason && <p className="mt-1 break-words text-muted">Because: {text(act.reason)}</p>}
                </li>
              ))}
            </ol>
          )}
        </Panel>
        <RevealDialog
          id={item.id}
          token={asking}
          onClose={() => setAsking(null)}
          onValue={(token, value) => setKnown((old) => new Map(old).set(token, value))}
        />
      </div>
    </div>
  );
}
