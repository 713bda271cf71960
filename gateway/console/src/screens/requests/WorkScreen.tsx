import { useEffect, useRef, useState, type RefObject } from "react";

import { explain } from "../../api/client";
import type { Me } from "../../api/types";
import { useKeys } from "../../app/keys";
import { useNow } from "../../app/now";
import { mayOpen } from "../../app/permissions";
import { hrefs, narrow, parseRoute } from "../../app/route";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { EmptyState } from "../../ui/EmptyState";
import { LinkButton } from "../../ui/LinkButton";
import { Note } from "../../ui/Note";
import { INPUT } from "../../ui/classes";
import { choiceOf, filtersOf, isNarrowed, parametersOf, SHOWN, type Choice } from "./filter";
import { KIND_NAMES } from "./labels";
import { useWorkItems } from "./useWorkItems";
import { lastOpened } from "./lastOpened";
import { WorkRow } from "./WorkRow";

/** How long after the last key a search begins. */
const TYPING_MS = 300;

/** What callers asked for and what was promised to them, most pressing first. */
export function WorkScreen({ query, me }: { query: string; me: Me }) {
  const choice = choiceOf(query);
  const { items, error, more, busy, loadMore, reload } = useWorkItems(filtersOf(choice));
  const now = useNow();
  const list = useRef<HTMLUListElement>(null);
  useReturnedFocus(list, items !== null);
  useRowKeys(list);
  // Minutes matter here, not seconds: rows are drawn anew once in half a minute.
  const minute = Math.floor(now / 30_000) * 30_000;
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-5xl px-4 py-6 sm:px-6">
        <h1 className="text-2xl font-semibold">Requests</h1>
        <p className="mt-1 text-muted">What callers asked for and what they were promised. The most pressing comes first.</p>
        <Filters choice={choice} />
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
        <p role="status" className="mt-4 text-sm text-muted">
          {items === null ? (error === null ? "Loading…" : "") : counted(items.length, more)}
        </p>
        {items?.length === 0 && !isNarrowed(choice) && !more && (
          <EmptyState icon="work" title="Nothing is waiting">
            {mayOpen(me, "phone") && <p>Call the line and report something: &ldquo;The street light on Oak Street is out.&rdquo; The report appears here while you are still talking.</p>}
            {mayOpen(me, "phone") && (
              <LinkButton href={hrefs.phone} icon="phone">
                Open the phone
              </LinkButton>
            )}
          </EmptyState>
        )}
        {items !== null && items.length > 0 && (
          <ul ref={list} aria-label="Requests" className="mt-2 overflow-hidden rounded-xl border border-line bg-panel">
            {items.map((item) => (
              <WorkRow key={item.id} item={item} me={me.subject} now={minute} />
            ))}
          </ul>
        )}
        {more && (
          <div className="mt-5 text-center">
            <Button disabled={busy} onClick={loadMore}>
              {busy ? "Loading…" : "Show more"}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

function counted(count: number, more: boolean): string {
  if (count === 0) return more ? "Nothing yet among the newest. Show more goes on looking." : "No request fits this.";
  return `${count}${more ? " or more" : ""} ${count === 1 ? "request" : "requests"}`;
}

/** Changes part of what the list is narrowed to, whatever the rest is by then. */
function change(part: Partial<Choice>): void {
  narrow("work", parametersOf({ ...choiceOf(parseRoute(location.hash).query), ...part }));
}

function Filters({ choice }: { choice: Choice }) {
  const [words, setWords] = useState(choice.words);
  useEffect(() => {
    if (words === choice.words) return undefined;
    const timer = setTimeout(() => change({ words }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words, choice.words]);
  return (
    <div className="mt-5 space-y-3">
      <div role="group" aria-label="Which requests" className="flex flex-wrap gap-2">
        {SHOWN.map(([show, label]) => (
          <Chip key={show} on={choice.show === show} onClick={() => change({ show })}>
            {label}
          </Chip>
        ))}
        <Chip on={choice.mine} onClick={() => change({ mine: !choice.mine })}>
          Mine
        </Chip>
      </div>
      <div role="search" className="grid gap-3 sm:grid-cols-[12rem_minmax(0,1fr)]">
        <label className="text-sm font-medium">
          Kind
          <select value={choice.kind} onChange={(event) => change({ kind: event.target.value })} className={INPUT}>
            <option value="">Every kind</option>
            {KIND_NAMES.map(([kind, label]) => (
              <option key={kind} value={kind}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="text-sm font-medium">
          Words or reference
          <input type="search" maxLength={200} value={words} onChange={(event) => setWords(event.target.value)} className={INPUT} />
        </label>
      </div>
    </div>
  );
}

/** Whoever comes back from a request is where they were in the list. */
function useReturnedFocus(list: RefObject<HTMLUListElement | null>, ready: boolean): void {
  // A request that is opened from here leads back here.
  useEffect(() => {
    lastOpened.fromList = false;
    return () => {
      lastOpened.fromList = true;
    };
  }, []);
  useEffect(() => {
    if (!ready || lastOpened.id === null) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(lastOpened.id)}"]`);
    lastOpened.id = null;
    row?.focus();
  }, [list, ready]);
}

/** J and K go up and down the rows. */
function useRowKeys(list: RefObject<HTMLUListElement | null>): void {
  useKeys((key) => {
    if (key !== "j" && key !== "k") return false;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const here = rows.findIndex((row) => row === document.activeElement);
    rows[key === "j" ? Math.min(here + 1, rows.length - 1) : Math.max(here - 1, 0)]?.focus();
    return true;
  });
}
