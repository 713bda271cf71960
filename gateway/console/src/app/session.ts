import { useEffect, useState } from "react";

import { api, ApiError, whenSignedOut } from "../api/client";
import { chooseOffice, office } from "../api/office";
import type { Me } from "../api/types";

export type Session =
  | { kind: "checking" }
  | { kind: "in"; me: Me }
  /** `ended`: there was a session in this page, and it ran out. */
  | { kind: "out"; ended: boolean }
  | { kind: "unreachable"; error: unknown };

let again: () => void = () => undefined;
/** Asks again who is signed in and what they see, after something of it was changed in this page. */
export const renewSession = (): void => again();

/** Who is signed in. `retry` asks again. */
export function useSession(): { session: Session; retry: () => void } {
  const [session, setSession] = useState<Session>({ kind: "checking" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    again = () => setAttempt((n) => n + 1);
    whenSignedOut(() => setSession((old) => ({ kind: "out", ended: old.kind === "in" || (old.kind === "out" && old.ended) })));
    api
      .me({ signal: abort.signal })
      .then((me) => setSession({ kind: "in", me }))
      .catch((error: unknown) => {
        // The office that was chosen is not there any more.
        if (!abort.signal.aborted && error instanceof ApiError && error.status === 404 && office() !== null) {
          chooseOffice(null);
          return setAttempt((n) => n + 1);
        }
        if (abort.signal.aborted || (error instanceof ApiError && error.status === 401)) return;
        setSession({ kind: "unreachable", error });
      });
    return () => abort.abort();
  }, [attempt]);
  return { session, retry: () => setAttempt((n) => n + 1) };
}
