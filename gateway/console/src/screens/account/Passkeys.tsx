import { useEffect, useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import { explainPasskey, makePasskey, takesPasskeys } from "../../api/passkeys";
import type { Passkey, SignsIn } from "../../api/types";
import { useNow } from "../../app/now";
import { when } from "../../model/when";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

/** Passkeys: added, named, taken away. */
export function Passkeys({ signsIn, onDone }: { signsIn: SignsIn; onDone: () => void }) {
  const [host, setHost] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    const ask = new AbortController();
    api.waysToSignIn({ signal: ask.signal }).then(({ passkeys }) => setHost(passkeys), () => undefined);
    return () => ask.abort();
  }, []);
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
      setError(null);
      onDone();
    } catch (failure) {
      setError(explainPasskey(failure) ?? explain(failure));
    }
  };
  const isHere = takesPasskeys(host);
  return (
    <Panel title="Passkeys" level={2}>
      <p className="text-sm text-muted">A passkey signs you in with the finger, face or PIN that your device knows. Nobody can guess it or have you give it away.</p>
      {error !== null && (
        <div className="mt-3">
          <Note alert>{error}</Note>
        </div>
      )}
      <ul className="mt-2 divide-y divide-line text-sm">
        {signsIn.passkeys.map((passkey) => (
          <Row key={passkey.id} passkey={passkey} run={run} />
        ))}
      </ul>
      {isHere && signsIn.may_add_passkey && <Add run={run} />}
      {isHere && !signsIn.may_add_passkey && <p className="mt-2 text-sm text-muted">To add one, sign out, sign in with a password, passkey or link, and add it within 15 minutes.</p>}
      {!isHere && host !== null && <p className="mt-2 text-sm text-muted">Passkeys are added and used under the name {host}, in a browser that knows them.</p>}
      {host === null && <p className="mt-2 text-sm text-muted">Passkeys need a gateway with a name of its own and HTTPS.</p>}
    </Panel>
  );
}

type Run = (act: () => Promise<unknown>) => Promise<void>;

function Add({ run }: { run: Run }) {
  const [name, setName] = useState("");
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await run(async () => {
      await api.addPasskey(name.trim(), await makePasskey(await api.newPasskeyOptions()));
      setName("");
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="mt-3 flex flex-wrap items-end gap-3">
      <label className="min-w-0 flex-1 text-sm font-medium">
        Name of the new passkey
        <input required maxLength={60} autoComplete="off" placeholder="Office laptop" value={name} onChange={(event) => setName(event.target.value)} className={INPUT} />
      </label>
      <Button type="submit">Add a passkey</Button>
    </form>
  );
}

function Row({ passkey, run }: { passkey: Passkey; run: Run }) {
  const now = useNow();
  const [name, setName] = useState<string | null>(null);
  const rename = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (name !== null) await run(() => api.renamePasskey(passkey.id, name.trim()));
    setName(null);
  };
  return (
    <li data-passkey={passkey.name} className="flex flex-wrap items-center justify-between gap-2 py-2">
      {name === null ? (
        <p className="min-w-0 break-words">
          <span className="font-medium">{passkey.name}</span>
          <span className="block text-xs text-muted">
            Added {when(passkey.created_at, now).toLowerCase()} · {passkey.used_at === null ? "not used yet" : `last used ${when(passkey.used_at, now).toLowerCase()}`}
          </span>
        </p>
      ) : (
        <form onSubmit={(event) => void rename(event)} className="flex min-w-0 flex-1 flex-wrap items-end gap-2">
          <label className="min-w-0 flex-1 text-sm font-medium">
            New name
            <input required maxLength={60} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} className={INPUT} />
          </label>
          <Button type="submit">Save</Button>
        </form>
      )}
      <p className="flex flex-wrap gap-2">
        {name === null && (
          <Button onClick={() => setName(passkey.name)}>
            Rename<span className="sr-only"> {passkey.name}</span>
          </Button>
        )}
        <Button onClick={() => void run(() => api.removePasskey(passkey.id))}>
          Remove<span className="sr-only"> {passkey.name}</span>
        </Button>
      </p>
    </li>
  );
}
