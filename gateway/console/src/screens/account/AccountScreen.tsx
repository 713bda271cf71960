import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import type { OpenSession, SignsIn } from "../../api/types";
import { Note } from "../../ui/Note";
import { Passkeys } from "./Passkeys";
import { PasswordForm } from "./PasswordForm";
import { Sessions } from "./Sessions";

/** What somebody signs in with, and where they are signed in. */
export function AccountScreen() {
  const [now, setNow] = useState<{ signsIn: SignsIn; sessions: readonly OpenSession[] } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const ask = new AbortController();
    Promise.all([api.mySignIn({ signal: ask.signal }), api.mySessions({ signal: ask.signal })])
      .then(([signsIn, { items }]) => {
        setNow({ signsIn, sessions: items });
        setError(null);
      })
      .catch((failure: unknown) => {
        if (!ask.signal.aborted) setError(failure);
      });
    return () => ask.abort();
  }, [revision]);
  const again = (): void => setRevision((n) => n + 1);
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-2xl space-y-4 px-4 py-6 sm:px-6">
        <h1 className="text-2xl font-semibold">Your sign-in</h1>
        {error !== null && <Note alert>{explain(error)}</Note>}
        {now === null && error === null && <p className="text-muted">Loading…</p>}
        {now !== null && (
          <>
            <p className="text-muted">
              You are signed in as <span className="font-medium text-text">{now.signsIn.login}</span>.
            </p>
            <PasswordForm signsIn={now.signsIn} onDone={again} />
            <Passkeys signsIn={now.signsIn} onDone={again} />
            <Sessions sessions={now.sessions} onDone={again} />
          </>
        )}
      </div>
    </div>
  );
}
