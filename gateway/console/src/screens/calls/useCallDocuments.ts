import { useEffect, useState } from "react";

import { api, ApiError } from "../../api/client";
import { consoleStore, useConsole } from "../../app/console";
import { mergeCalls, mergeInterventions, mergeLatency, mergeTranscript } from "../../model/merge";

export type Loading = { kind: "loading" } | { kind: "done" } | { kind: "failed"; error: unknown };

/** A gateway that has just started answers once its engines are loaded. */
const AGAIN_MS = 3_000;
const isNotYet = (error: unknown): boolean => error instanceof ApiError && (error.status === 503 || error.status === 0);

/** Loads what was said before this page was watching; again when events were missed, and once the call has ended. */
export function useCallDocuments(id: string): Loading {
  const epoch = useConsole((now) => now.epoch);
  const ended = useConsole((now) => now.state.calls[id]?.facts.state === "ended");
  const [loading, setLoading] = useState<Loading>({ kind: "loading" });
  useEffect(() => {
    const abort = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    const ask = { signal: abort.signal };
    const load = async (): Promise<void> => {
      const [facts, transcript, latency] = await Promise.all([api.call(id, ask), api.transcript(id, ask), api.latency(id, ask)]);
      if (abort.signal.aborted) return;
      consoleStore.edit((state) => {
        const told = mergeTranscript(mergeCalls(state, [facts]), id, transcript.turns);
        return mergeLatency(mergeInterventions(told, id, transcript.interventions), id, latency.turns);
      });
      setLoading({ kind: "done" });
    };
    const tryToLoad = (): Promise<void> =>
      load().catch((error: unknown) => {
        if (abort.signal.aborted) return;
        setLoading({ kind: "failed", error });
        if (isNotYet(error)) again = setTimeout(() => void tryToLoad(), AGAIN_MS);
      });
    void tryToLoad();
    return () => {
      clearTimeout(again);
      abort.abort();
    };
  }, [id, epoch, ended]);
  return loading;
}
