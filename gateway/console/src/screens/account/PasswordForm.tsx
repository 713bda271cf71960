import { useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { SignsIn } from "../../api/types";
import { useNow } from "../../app/now";
import { when } from "../../model/when";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

/** Sets a password, or changes it. The login is a field too, unseen: password managers want to know whose it is. */
export function PasswordForm({ signsIn, onDone }: { signsIn: SignsIn; onDone: () => void }) {
  const now = useNow();
  const [old, setOld] = useState("");
  const [fresh, setFresh] = useState("");
  const [shown, setShown] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [done, setDone] = useState(false);
  const set = signsIn.password_set_at;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setDone(false);
    try {
      await api.setMyPassword(signsIn.needs_old_password ? old : null, fresh);
      setError(null);
      setDone(true);
      setOld("");
      setFresh("");
      onDone();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Panel title="Password" level={2}>
      <p className="text-sm text-muted">{set === null ? "You have none yet." : `Set ${when(set, now).toLowerCase()}.`}</p>
      {!signsIn.may_set_password && <p className="mt-2 text-sm text-muted">The first one is set after a one-time link. Ask an administrator for a new link.</p>}
      {signsIn.may_set_password && (
        <form onSubmit={(event) => void submit(event)} className="mt-3 space-y-3">
          <input type="text" name="username" value={signsIn.login} readOnly hidden autoComplete="username" />
          {signsIn.needs_old_password && (
            <label className="block text-sm font-medium">
              Old password
              <input required type="password" maxLength={1000} autoComplete="current-password" value={old} onChange={(event) => setOld(event.target.value)} className={INPUT} />
            </label>
          )}
          <label className="block text-sm font-medium">
            New password
            <input
              required
              type={shown ? "text" : "password"}
              minLength={12}
              maxLength={256}
              autoComplete="new-password"
              spellCheck={false}
              aria-describedby="password-rule"
              value={fresh}
              onChange={(event) => setFresh(event.target.value)}
              className={INPUT}
            />
          </label>
          <p id="password-rule" className="text-sm text-muted">
            Twelve characters or more, of any kind. Four words that do not belong together are good.
          </p>
          <label className="flex min-h-10 items-center gap-2 text-sm">
            <input type="checkbox" checked={shown} onChange={(event) => setShown(event.target.checked)} className="size-4" />
            Show what I type
          </label>
          {error !== null && <Note alert>{explain(error)}</Note>}
          <div className="flex flex-wrap items-center gap-3">
            <Button tone="primary" type="submit">
              {set === null ? "Set the password" : "Change the password"}
            </Button>
            <p role="status" className="text-sm text-muted">
              {done && "Done. Your other sessions have ended."}
            </p>
          </div>
        </form>
      )}
    </Panel>
  );
}
