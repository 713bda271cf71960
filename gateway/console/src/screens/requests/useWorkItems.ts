import { useCallback, useEffect, useRef, useState } from "react";

import { api } from "../../api/client";
import type { WorkFilter, WorkItem } from "../../api/types";
import { useConsole } from "../../app/console";
import { byUrgency } from "./labels";

/** Calls and people change requests in bursts; a reload after each burst looks live enough. */
const SETTLE_MS = 400;

interface WorkItems {
  items: WorkItem[] | null;
  error: unknown;
  more: boolean;
  busy: boolean;
  loadMore: () => void;
  reload: () => void;
}

/** Requests that any of the filters leaves, most pressing first. Asked anew when calls, or other people, change them. */
export function useWorkItems(filters: readonly WorkFilter[]): WorkItems {
  const revision = useConsole((now) => now.state.workRevision + now.epoch);
  const [items, setItems] = useState<WorkItem[] | null>(null);
  const [cursors, setCursors] = useState<(string | null)[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const [busy, setBusy] = useState(false);
  const wanted = JSON.stringify(filters);
  /** The question that `items` answers, and how many pages of it were asked for. */
  const shown = useRef({ wanted: "", pages: 1 });

  useEffect(() => {
    const fresh = shown.current.wanted !== wanted;
    if (fresh) {
      // Another question: what was there answers it no longer.
      shown.current = { wanted, pages: 1 };
      setItems(null);
      setCursors([]);
    }
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      try {
        // As many pages as were there, so that what left the list leaves the screen too.
        const lists = await Promise.all(
          (JSON.parse(wanted) as WorkFilter[]).map((filter) => pages(filter, shown.current.pages, abort.signal)),
        );
        if (abort.signal.aborted) return;
        setItems(joined(lists.flatMap((list) => list.items)));
        setCursors(lists.map((list) => list.cursor));
        setError(null);
      } catch (failure) {
        if (!abort.signal.aborted) setError(failure);
      }
    };
    const timer = setTimeout(() => void load(), fresh ? 0 : SETTLE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [revision, attempt, wanted]);

  const loadMore = useCallback((): void => {
    const asked = JSON.parse(wanted) as WorkFilter[];
    setBusy(true);
    Promise.all(asked.map((filter, n) => (cursors[n] ? api.workItems(filter, cursors[n]) : null)))
      .then((found) => {
        if (shown.current.wanted !== wanted) return;
        shown.current.pages += 1;
        setItems((old) => joined([...found.flatMap((page) => page?.items ?? []), ...(old ?? [])]));
        setCursors(found.map((page) => page?.next_cursor ?? null));
      })
      .catch(setError)
      .finally(() => setBusy(false));
  }, [cursors, wanted]);

  return { items, error, busy, more: cursors.some(Boolean), loadMore, reload: () => setAttempt((n) => n + 1) };
}

/** Pages of what is not closed that are read at once: the gateway lists the newest first, and what is due first may be old. */
const OPEN_PAGES = 5;
const leastPages = (filter: WorkFilter): number => (filter.q === undefined && (filter.state === "open" || filter.state === "in_progress") ? OPEN_PAGES : 1);

async function pages(filter: WorkFilter, count: number, signal: AbortSignal): Promise<{ items: WorkItem[]; cursor: string | null }> {
  const items: WorkItem[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < Math.max(count, leastPages(filter)); page += 1) {
    const found = await api.workItems(filter, cursor, { signal });
    items.push(...found.items);
    cursor = found.next_cursor;
    if (cursor === null) break;
  }
  return { items, cursor };
}

/** Each request once, most pressing first; of two copies the newer one. */
export function joined(items: readonly WorkItem[]): WorkItem[] {
  const byId = new Map<string, WorkItem>();
  for (const item of items) {
    const known = byId.get(item.id);
    if (!known || known.updated_at < item.updated_at) byId.set(item.id, item);
  }
  return [...byId.values()].sort(byUrgency);
}
