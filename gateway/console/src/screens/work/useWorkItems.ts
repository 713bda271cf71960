import { useCallback, useEffect, useRef, useState } from "react";

import { api } from "../../api/client";
import type { WorkFilter, WorkItem } from "../../api/types";
import { useConsole } from "../../app/console";

/** Calls change work items in bursts; one reload a second is enough to look live. */
const SETTLE_MS = 400;

interface WorkItems {
  items: WorkItem[] | null;
  error: unknown;
  more: boolean;
  loadMore: () => void;
  reload: () => void;
}

/** Requests that a filter leaves. What they are is asked anew when calls, or other people, change them. */
export function useWorkItems(filter: WorkFilter): WorkItems {
  const revision = useConsole((now) => now.state.workRevision + now.epoch);
  const [items, setItems] = useState<WorkItem[] | null>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const first = useRef(true);
  const wanted = JSON.stringify(filter);
  const before = useRef(wanted);

  useEffect(() => {
    if (before.current !== wanted) {
      // Another question: what was there answers it no longer.
      before.current = wanted;
      first.current = true;
      setItems(null);
      setCursor(null);
    }
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const page = await api.workItems(JSON.parse(wanted) as WorkFilter, null, { signal: abort.signal });
        if (abort.signal.aborted) return;
        // What "Show more" brought stays, below the fresh page.
        setItems((old) => joinPages(page.items, old ?? []));
        setCursor((old) => (first.current ? page.next_cursor : old));
        setError(null);
        first.current = false;
      } catch (failure) {
        if (!abort.signal.aborted) setError(failure);
      }
    };
    const timer = setTimeout(() => void load(), first.current ? 0 : SETTLE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [revision, attempt, wanted]);

  const loadMore = useCallback((): void => {
    api
      .workItems(JSON.parse(wanted) as WorkFilter, cursor)
      .then((page) => {
        setItems((old) => joinPages(old ?? [], page.items));
        setCursor(page.next_cursor);
      })
      .catch(setError);
  }, [cursor, wanted]);

  return { items, error, more: cursor !== null, loadMore, reload: () => setAttempt((n) => n + 1) };
}

/** Two lists as one, newest first; where both hold an item, the first one's is the fresher. */
export function joinPages(fresh: WorkItem[], rest: WorkItem[]): WorkItem[] {
  const seen = new Set(fresh.map((item) => item.id));
  return [...fresh, ...rest.filter((item) => !seen.has(item.id))].sort((a, b) => b.created_at.localeCompare(a.created_at));
}
