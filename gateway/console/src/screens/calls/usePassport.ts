import { useEffect, useState } from "react";

import { api, ApiError } from "../../api/client";
import type { Passport, WorkItem } from "../../api/types";
import { useConsole } from "../../app/console";
import type { Call } from "../../model/state";

/** The document, loaded again whenever an event says that it has changed. */
export function usePassport(call: Call): { passport: Passport | null; error: unknown } {
  const epoch = useConsole((now) => now.epoch);
  const [loaded, setLoaded] = useState<{ passport: Passport | null; error: unknown }>({ passport: null, error: null });
  const { id, state } = call.facts;
  const version = call.passport?.version;
  useEffect(() => {
    const abort = new AbortController();
    api
      .passport(id, { signal: abort.signal })
      .then((passport) => setLoaded({ passport, error: null }))
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        // None yet is an ordinary answer.
        const none = error instanceof ApiError && error.status === 404;
        setLoaded((old) => ({ passport: old.passport, error: none ? null : error }));
      });
    return () => abort.abort();
  }, [id, state, version, epoch]);
  return loaded;
}

/** What was filed under a reference; no item while it is loading, or where it cannot be read. */
export interface Filed {
  reference: string;
  item: WorkItem | null;
}

/** Requests of a call shown beside it at most; the ledger names all. */
const MOST = 8;

export function useFiled(references: readonly string[], version: number | undefined): readonly Filed[] {
  const revision = useConsole((now) => now.state.workRevision);
  const [items, setItems] = useState<ReadonlyMap<string, WorkItem>>(new Map());
  const wanted = references.slice(0, MOST).join(" ");
  useEffect(() => {
    const abort = new AbortController();
    const load = async (reference: string): Promise<void> => {
      try {
        const item = await api.workItem(reference, { signal: abort.signal });
        setItems((old) => new Map(old).set(reference, item));
      } catch {
        // The reference stands by itself.
      }
    };
    for (const reference of wanted.split(" ").filter(Boolean)) void load(reference);
    return () => abort.abort();
  }, [wanted, version, revision]);
  return references.map((reference) => ({ reference, item: items.get(reference) ?? null }));
}
