import { useEffect, useState } from "react";

import { api } from "../../api/client";
import type { LineFigures } from "../../api/types";
import { useConsole } from "../../app/console";

/** Calls change the figures in bursts; they are asked for anew after each. */
const SETTLE_MS = 1500;

/** The gateway's figures since `from`; none until they came. */
export function useLineFigures(from: number): { figures: LineFigures | null; error: unknown } {
  const ended = useConsole((now) => now.state.workRevision + now.epoch);
  const [found, setFound] = useState<{ from: number; figures: LineFigures } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const fresh = found?.from !== from;
  useEffect(() => {
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      const figures = await api.overview(new Date(from).toISOString(), { signal: abort.signal });
      setFound({ from, figures });
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
  return { figures: fresh ? null : (found?.figures ?? null), error };
}
