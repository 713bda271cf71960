import { useCallback, useEffect, useState } from "react";

import { api } from "../../api/client";
import type { CallItem } from "../../api/types";

interface PastCalls {
  calls: CallItem[] | null;
  error: unknown;
  more: boolean;
  busy: boolean;
  loadMore: () => void;
}

const PAGE = "100";

/** Calls that a question finds, newest first, page by page. */
export function usePastCalls(question: Readonly<Record<string, string>>): PastCalls {
  const wanted = JSON.stringify(question);
  const [found, setFound] = useState<{ wanted: string; calls: CallItem[] | null; cursor: string | null; error: unknown }>({ wanted, calls: null, cursor: null, error: null });
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    api
      .calls({ ...(JSON.parse(wanted) as Record<string, string>), limit: PAGE }, { signal: abort.signal })
      .then((page) => setFound({ wanted, calls: page.items, cursor: page.next_cursor, error: null }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted) setFound({ wanted, calls: null, cursor: null, error });
      });
    return () => abort.abort();
  }, [wanted]);

  const { cursor } = found;
  const loadMore = useCallback((): void => {
    setBusy(true);
    api
      .calls({ ...(JSON.parse(wanted) as Record<string, string>), limit: PAGE, cursor })
      .then((page) =>
        setFound((old) => (old.wanted === wanted ? { ...old, calls: [...(old.calls ?? []), ...page.items], cursor: page.next_cursor, error: null } : old)),
      )
      .catch((error: unknown) => setFound((old) => ({ ...old, error })))
      .finally(() => setBusy(false));
  }, [wanted, cursor]);

  // What is there answers another question: it is not shown for this one.
  const current = found.wanted === wanted;
  return { calls: current ? found.calls : null, error: current ? found.error : null, more: current && cursor !== null, busy, loadMore };
}

/** Pages of an export at most: twenty thousand calls. */
const MOST_PAGES = 100;

/** Everything that a question finds, for an export. `complete`: nothing was left off. */
export async function everyCall(question: Readonly<Record<string, string>>): Promise<{ calls: CallItem[]; complete: boolean }> {
  const calls: CallItem[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await api.calls({ ...question, limit: "200", cursor });
    calls.push(...found.items);
    cursor = found.next_cursor;
    if (cursor === null) return { calls, complete: true };
  }
  return { calls, complete: false };
}
