import { useEffect, useState } from "react";

import { api } from "../../api/client";
import type { LineFigures } from "../../api/types";
import { useConsole } from "../../app/console";

/** Calls change the figures in bursts; they are asked for anew after each. */
const SETTLE_MS = 1500;

/** The gateway's own figures since `from`; none until they came, or where it has none. */
export function useLineFigures(from: number, offered: boolean): LineFigures | null {
  const ended = useConsole((now) => now.state.workRevision + now.epoch);
  const [found, setFound] = useState<{ from: number; figures: LineFigures } | null>(null);
  const fresh = found?.from !== from;
  useEffect(() => {
    if (!offered) return;
    const abort = new AbortController();
    const timer = setTimeout(
      () =>
        void api
          .overview(new Date(from).toISOString(), { signal: abort.signal })
          .then((figures) => setFound({ from, figures }))
          .catch(() => {
            // The lists beside it say what is wrong; these two figures are left out.
          }),
      fresh ? 0 : SETTLE_MS,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
    // `fresh` only sets the wait: what it becomes by loading must not load again.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [from, ended, offered]);
  return fresh ? null : (found?.figures ?? null);
}
