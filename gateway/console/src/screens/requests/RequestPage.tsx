import { useCallback, useEffect, useRef, useState, type MouseEvent, type ReactNode } from "react";

import { api, explain } from "../../api/client";
import type { Me, WorkAct, WorkItemDetail } from "../../api/types";
import { useConsole } from "../../app/console";
import { useNow } from "../../app/now";
import { managesTenant } from "../../app/permissions";
import { hrefs } from "../../app/route";
import { isAlarmed } from "../../model/alarms";
import { dateTime, words } from "../../model/format";
import { when } from "../../model/when";
import { Badge } from "../../ui/Badge";
import { EmptyState } from "../../ui/EmptyState";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { actPhrase, dueText, fieldName, givenFields, isClosed, isIncomplete, isLate, kindName, outcomeOf, plainValue, requestTitle, stateName, veiled } from "./labels";
import { lastOpened } from "./lastOpened";
import { RequestActs } from "./RequestActs";
import { RevealDialog, Revealing } from "./Revealing";

const ACTS_FOR: readonly string[] = ["clerk", "supervisor", "tenant-admin", "platform-admin"];

/** One request: what was asked, what was done about it, and what can be done now. */
export function RequestPage({ id, me }: { id: string; me: Me }) {
  const revision = useConsole((now) => now.state.workRevision + now.epoch);
  const [item, setItem] = useState<WorkItemDetail | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    api
      .workItem(id, { signal: abort.signal })
      .then((found) => {
        // An answer that was under way while something was done must not undo it on the screen.
        setItem((old) => (old && old.id === found.id && old.updated_at > found.updated_at ? old : found));
        setError(null);
      })
      .catch((failure: unknown) => {
        if (!abort.signal.aborted) setError(failure);
      });
    return () => abort.abort();
  }, [id, revision, attempt]);
  const reload = useCallback(() => setAttempt((n) => n + 1), []);

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
  return <Request item={item} me={me} error={error} onChanged={setItem} onStale={reload} />;
}

interface RequestProps {
  item: WorkItemDetail;
  me: Me;
  error: unknown;
  onChanged: (item: WorkItemDetail) => void;
  onStale: () => void;
}

function Request({ item, me, error, onChanged, onStale }: RequestProps) {
  const now = useNow(true);
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  const [asking, setAsking] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const { id } = item;
  const outcome = outcomeOf(item);
  // Readers arrive at the title, wherever they came from; and the list remembers where they were.
  useEffect(() => {
    heading.current?.focus();
    lastOpened.id = id;
  }, [id]);
  const may = me.roles.some((role) => ACTS_FOR.includes(role));
  const text = (value: string): ReactNode => <Revealing text={value} known={known} {...(may && { onReveal: setAsking })} />;
  const due = dueText(item, now);
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-3xl space-y-4 px-4 py-6 sm:px-6" data-request={item.id}>
        <a href={hrefs.work} onClick={goBack} className="text-sm text-accent underline underline-offset-2">
          All requests
        </a>
        <div>
          <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold break-words">
            {veiled(requestTitle(item))}
          </h1>
          <p className="mt-2 flex flex-wrap items-center gap-2 text-sm text-muted">
            <span className="font-mono font-semibold text-text">{item.reference}</span>
            <Badge>{kindName(item.kind)}</Badge>
            {!isClosed(item) && ["urgent", "high"].includes(item.priority) && <Badge tone="danger">{words(item.priority)}</Badge>}
            <Badge tone={item.status === "done" ? "good" : item.status === "in_progress" ? "accent" : "plain"}>{stateName(item.status)}</Badge>
            {isAlarmed(item) && <Badge tone="danger">Nobody has taken this</Badge>}
            {due && (
              <Badge tone={isLate(item, now) ? "danger" : "warm"} title={dateTime(item.due_at)}>
                {due}
              </Badge>
            )}
            {item.assignee && <span>{`${isClosed(item) ? "by" : "with"} ${item.assignee === me.subject ? "you" : item.assignee}`}</span>}
          </p>
        </div>
        {error !== null && <Note>What you see may be old. {explain(error)}</Note>}
        {outcome && (
          <div className="rounded-xl border border-line bg-panel p-4 text-sm">
            <h2 className="mb-1 font-semibold">What came of it</h2>
            <p className="break-words whitespace-pre-wrap">{text(outcome)}</p>
          </div>
        )}
        {may && <RequestActs item={item} me={me.subject} usersOf={managesTenant(me) ? (me.tenant?.id ?? null) : null} onChanged={onChanged} onStale={onStale} />}
        <Panel title="What was asked" level={2}>
          {isIncomplete(item) && <p className="mb-3 text-sm text-warm">The call ended before everything was told.</p>}
          <dl className="space-y-2 text-sm">
            {givenFields(item).map((field) => (
              <Given key={field.name} name={fieldName(field.name)}>
                {text(plainValue(field.value))}
              </Given>
            ))}
            <Given name="Taken down">
              <time dateTime={item.created_at} title={dateTime(item.created_at)}>
                {when(item.created_at, now)}
              </time>
              {item.call_id && (
                <>
                  {", "}
                  <a href={hrefs.call(item.call_id)} className="text-accent underline underline-offset-2">
                    on this call
                  </a>
                </>
              )}
            </Given>
          </dl>
        </Panel>
        <Panel title="What was done" level={2}>
          {item.history.length === 0 ? (
            <p className="text-sm text-muted">Nobody has done anything about it yet.</p>
          ) : (
            <ol className="space-y-3 text-sm">
              {item.history.map((act) => (
                <Done key={act.id} act={act} me={me.subject} now={now} text={text} />
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

/** Back to the list as it was narrowed, where that is where the reader came from. */
function goBack(event: MouseEvent): void {
  if (lastOpened.fromList && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    history.back();
  }
}

function Given({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-3 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <dt className="text-muted">{name}</dt>
      <dd className="figures break-words whitespace-pre-wrap">{children}</dd>
    </div>
  );
}

function Done({ act, me, now, text }: { act: WorkAct; me: string; now: number; text: (value: string) => ReactNode }) {
  return (
    <li className="border-l-2 border-line pl-3">
      <p>
        <span className="font-medium">{act.actor === me ? "You" : act.actor}</span> {actPhrase(act)}
        <time dateTime={act.at} title={dateTime(act.at)} className="ml-2 text-xs whitespace-nowrap text-muted">
          {when(act.at, now)}
        </time>
      </p>
      {act.note && <p className="mt-1 break-words whitespace-pre-wrap">{text(act.note)}</p>}
      {act.reason && <p className="mt-1 break-words text-muted">Because: {text(act.reason)}</p>}
      {typeof act.line_was_right === "boolean" && <p className="mt-1 text-muted">{act.line_was_right ? "The line was right." : "The line was not right."}</p>}
    </li>
  );
}
