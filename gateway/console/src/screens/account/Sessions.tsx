import { useState } from "react";

import { api, explain } from "../../api/client";
import type { OpenSession } from "../../api/types";
import { useNow } from "../../app/now";
import { when } from "../../model/when";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

const BY: Record<OpenSession["begun_by"], string> = {
  link: "a one-time link",
  token: "a token",
  password: "your password",
  openid: "your organization",
  passkey: "a passkey",
};

/** Where somebody is signed in; each can be ended. */
export function Sessions({ sessions, onDone }: { sessions: readonly OpenSession[]; onDone: () => void }) {
  const now = useNow();
  const [error, setError] = useState<unknown>(null);
  const end = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
      setError(null);
      onDone();
    } catch (failure) {
      setError(failure);
    }
  };
  const others = sessions.filter((one) => !one.is_this);
  return (
    <Panel
      title="Where you are signed in"
      level={2}
      aside={others.length > 0 && <Button onClick={() => void end(api.endMyOtherSessions)}>End all others</Button>}
    >
      {error !== null && <Note alert>{explain(error)}</Note>}
      <ul className="divide-y divide-line text-sm">
        {sessions.map((one) => (
          <li key={one.id} data-session={one.id} className="flex flex-wrap items-center justify-between gap-2 py-2">
            <p className="min-w-0">
              <span className="font-medium">{one.is_this ? "This browser" : "Another browser"}</span>
              <span className="block text-xs text-muted">
                With {BY[one.begun_by]}, {when(one.created_at, now).toLowerCase()} · last used {when(one.seen_at, now).toLowerCase()}
              </span>
            </p>
            {!one.is_this && (
              <Button onClick={() => void end(() => api.endMySession(one.id))}>
                End<span className="sr-only"> the session begun {when(one.created_at, now).toLowerCase()}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
