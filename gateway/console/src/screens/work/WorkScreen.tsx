import { useState, type FormEvent } from "react";

import { explain } from "../../api/client";
import type { WorkFilter, WorkState } from "../../api/types";
import { useNow } from "../../app/now";
import { hrefs } from "../../app/route";
import { Button } from "../../ui/Button";
import { cx } from "../../ui/classes";
import { EmptyState } from "../../ui/EmptyState";
import { LinkButton } from "../../ui/LinkButton";
import { Note } from "../../ui/Note";
import { byUrgency, kindName, stateName } from "./labels";
import { useWorkItems } from "./useWorkItems";
import { WorkCard } from "./WorkCard";

const STATES: WorkState[] = ["open", "in_progress", "done", "declined"];
const KINDS = ["incident", "inspection", "message", "escalation", "callback"];

/** What callers asked for and what was promised to them, most pressing first. */
export function WorkScreen() {
  const [filter, setFilter] = useState<WorkFilter>({});
  const [words, setWords] = useState("");
  const { items, error, more, loadMore, reload } = useWorkItems(filter);
  const now = useNow(true);
  const change = (part: { [K in keyof WorkFilter]?: WorkFilter[K] | undefined }): void =>
    setFilter((old) => Object.fromEntries(Object.entries({ ...old, ...part }).filter(([, value]) => value)) as WorkFilter);
  const search = (event: FormEvent): void => {
    event.preventDefault();
    change({ q: words.trim() || undefined });
  };
  const filtered = Object.keys(filter).length > 0;
  const shown = [...(items ?? [])].sort(byUrgency);
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-5xl px-4 py-6 sm:px-6">
        <h1 className="text-2xl font-semibold">Requests</h1>
        <p className="mt-1 text-muted">Reports, inspections, messages and callbacks that came out of calls, most pressing first.</p>
        <div role="group" aria-label="Show only" className="mt-5 flex flex-wrap gap-2">
          <Chip on={!filter.state && !filter.assignee} onClick={() => change({ state: undefined, assignee: undefined })}>
            Everything
          </Chip>
          <Chip on={filter.assignee === "me"} onClick={() => change({ assignee: filter.assignee ? undefined : "me" })}>
            Mine
          </Chip>
          {STATES.map((state) => (
            <Chip key={state} on={filter.state === state} onClick={() => change({ state: filter.state === state ? undefined : state })}>
              {stateName(state)}
            </Chip>
          ))}
        </div>
        <form onSubmit={search} className="mt-3 flex flex-wrap items-end gap-2">
          <label className="text-sm font-medium">
            Kind
            <select
              value={filter.kind ?? ""}
              onChange={(event) => change({ kind: event.target.value || undefined })}
              className="mt-1 block min-h-10 rounded-lg border border-line-strong/60 bg-raised px-3 font-normal"
            >
              <option value="">Every kind</option>
              {KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {kind === "callback" ? "Callback in another language" : kindName(kind)}
                </option>
              ))}
            </select>
          </label>
          <label className="min-w-40 flex-1 text-sm font-medium">
            Words or reference
            <input
              type="search"
              maxLength={200}
              value={words}
              onChange={(event) => setWords(event.target.value)}
              className="mt-1 block min-h-10 w-full rounded-lg border border-line-strong/60 bg-raised px-3 font-normal"
            />
          </label>
          <Button type="submit">Search</Button>
        </form>
        {error !== null && (
          <div className="mt-5">
            <Note alert>
              <p>{explain(error)}</p>
              <Button className="mt-2" onClick={reload}>
                Load again
              </Button>
            </Note>
          </div>
        )}
        {items === null && error === null && <p className="mt-8 text-muted">Loading…</p>}
        {items?.length === 0 && !filtered && (
          <EmptyState icon="work" title="No requests yet">
            <p>Call the line and report something: &ldquo;The street light on Oak Street is out.&rdquo; The report appears here while you are still talking.</p>
            <LinkButton href={hrefs.phone} icon="phone">
              Open the phone
            </LinkButton>
          </EmptyState>
        )}
        {items?.length === 0 && filtered && <p className="mt-8 text-muted">No request fits this.</p>}
        <ul className="mt-5 grid gap-3 lg:grid-cols-2">
          {shown.map((item) => (
            <WorkCard key={item.id} item={item} now={now} />
          ))}
        </ul>
        {more && (
          <div className="mt-5 text-center">
            <Button onClick={loadMore}>Show more</Button>
          </div>
        )}
      </div>
    </div>
  );
}

function Chip({ on, onClick, children }: { on: boolean; onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={cx(
        "min-h-9 rounded-full border px-3.5 text-sm font-medium",
        on ? "border-accent bg-accent-soft text-accent" : "border-line-strong/60 text-muted hover:text-text",
      )}
    >
      {children}
    </button>
  );
}
