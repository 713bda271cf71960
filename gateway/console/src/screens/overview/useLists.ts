import { useEffect, useState } from "react";

import { api } from "../../api/client";
import type { CallItem, Page, WorkItem } from "../../api/types";
import { useConsole } from "../../app/console";

/** Pages of two hundred that are counted at most. */
const MOST_PAGES = 25;
/** Calls change the figures in bursts; they are counted anew after each. */
const SETTLE_MS = 1500;

export interface Lists {
  calls: CallItem[];
  requests: WorkItem[];
  /** There is more in the span than was counted. */
  cut: boolean;
}

/** What the figures since `from` are counted of: calls and requests of the span, and all requests that are not closed. */
export function useLists(from: number): { lists: Lists | null; error: unknown } {
  const ended = useConsole((now) => now.state.workRevision + now.epoch);
  const [found, setFound] = useState<{ from: number; lists: Lists } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const fresh = found?.from !== from;
  useEffect(() => {
    const abort = new AbortController();
    const ask = { signal: abort.signal };
    const load = async (): Promise<void> => {
      const [calls, made, open, taken] = await Promise.all([
        since((cursor) => api.calls({ state: "all", limit: "200", cursor }, ask), (call) => Date.parse(call.started_at) < from),
        since((cursor) => api.workItems({}, cursor, ask), (item) => Date.parse(item.created_at) < from),
        since((cursor) => api.workItems({ state: "open" }, cursor, ask), () => false),
        since((cursor) => api.workItems({ state: "in_progress" }, cursor, ask), () => false),
      ]);
      if (abort.signal.aborted) return;
      const requests = new Map([...made.items, ...open.items, ...taken.items].map((item) => [item.id, item]));
      setFound({ from, lists: { calls: calls.items, requests: [...requests.values()], cut: calls.cut || made.cut || open.cut || taken.cut } });
      setError(null);
    };
    const timer = setTimeout(
      () =>
        void load().catch((failure: unknown) => {
          if (!abort.signal.aborted) setError(failure);
        }),
      fresh ? 0 : SETTLE_MS,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
    // `fresh` only sets the wait: what it becomes by loading must not load again.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [from, ended]);
  return { lists: fresh ? null : (found?.lists ?? null), error };
}

/** Pages, newest first, until one holds what is `before` the span, or there are no more, or it is enough. */
async function since<T>(ask: (cursor: string | null) => Promise<Page<T>>, before: (item: T) => boolean): Promise<{ items: T[]; cut: boolean }> {
  const items: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found: Page<T> = await ask(cursor);
    items.push(...found.items);
    cursor = found.next_cursor;
    if (cursor === null || found.items.some(before)) return { items, cut: false };
  }
  return { items, cut: true };
}
