import { useEffect, useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { Me, Token, User } from "../../api/types";
import { useNow } from "../../app/now";
import { words } from "../../model/format";
import { when } from "../../model/when";
import { Button } from "../../ui/Button";
import { INPUT } from "../../ui/classes";
import { Dialog } from "../../ui/Dialog";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

/** Roles of an office; the platform's own is given on the command line. */
const ROLES = ["clerk", "supervisor", "agent-admin", "tenant-admin", "auditor"] as const;
const roleName = (role: string): string => words(role.replaceAll("-", " "));

interface Props {
  tenant: string;
  me: Me;
}

/** Who may sign in at this office, and which programs may ask. */
export function PeopleForm({ tenant, me }: Props) {
  const [users, setUsers] = useState<readonly User[] | null>(null);
  const [tokens, setTokens] = useState<readonly Token[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [once, setOnce] = useState<{ what: string; value: string } | null>(null);
  const [leaving, setLeaving] = useState<{ name: string; act: () => Promise<void> } | null>(null);
  const [resetting, setResetting] = useState<string | null>(null);
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const ask = new AbortController();
    Promise.all([api.usersOf(tenant, { signal: ask.signal }), api.tokensOf(tenant, { signal: ask.signal })])
      .then(([found, kept]) => {
        setUsers(found.items);
        setTokens(kept.items.filter((token) => token.revoked_at === null));
      })
      .catch((failure: unknown) => {
        if (!ask.signal.aborted) setError(failure);
      });
    return () => ask.abort();
  }, [tenant, revision]);
  const run = async (act: () => Promise<void>): Promise<boolean> => {
    try {
      await act();
      setError(null);
      setRevision((n) => n + 1);
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    }
  };
  return (
    <div className="mt-5 space-y-4">
      {error !== null && <Note alert>{explain(error)}</Note>}
      {once && (
        <Note tone="warm">
          <p className="font-medium">{once.what} It is shown here only, once.</p>
          <p className="mt-1 font-mono text-xs break-all select-all">{once.value}</p>
        </Note>
      )}
      <Panel title="People" level={2}>
        {users === null && error === null && <p className="text-sm text-muted">Loading…</p>}
        {users?.length === 0 && <p className="text-sm text-muted">Nobody yet.</p>}
        <ul className="divide-y divide-line text-sm">
          {users?.map((user) => (
            <li key={user.id} data-user={user.login} className="flex flex-wrap items-center justify-between gap-2 py-2">
              <p className="min-w-0 break-words">
                <span className="font-medium">{user.name || user.login}</span>
                <span className="block text-xs text-muted">
                  {user.login} · {roleName(user.role)}
                </span>
              </p>
              <p className="flex flex-wrap gap-2">
                <Button
                  onClick={() =>
                    void run(async () => {
                      const { url } = await api.signInLink(user.login);
                      setOnce({ what: `A link that signs ${user.login} in.`, value: url });
                    })
                  }
                >
                  Sign-in link<span className="sr-only"> for {user.login}</span>
                </Button>
                {user.login !== me.subject && (
                  <Button onClick={() => setResetting(user.login)}>
                    Reset sign-in<span className="sr-only"> of {user.login}</span>
                  </Button>
                )}
                {user.login !== me.subject && (
                  <Button onClick={() => setLeaving({ name: user.login, act: () => api.removeUser(user.id, tenant) })}>
                    Remove<span className="sr-only"> {user.login}</span>
                  </Button>
                )}
              </p>
            </li>
          ))}
        </ul>
        <AddUser tenant={tenant} run={run} />
      </Panel>
      <Panel title="Tokens of programs" level={2}>
        {tokens.length === 0 && <p className="text-sm text-muted">None.</p>}
        <ul className="divide-y divide-line text-sm">
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => setLeaving({ name: token.name, act: () => api.revokeToken(token.id, tenant) })} />
          ))}
        </ul>
        <AddToken tenant={tenant} run={run} onMade={(value) => setOnce({ what: "The new token.", value })} />
      </Panel>
      <Dialog open={resetting !== null} title={`Reset the sign-in of ${resetting ?? ""}?`} onClose={() => setResetting(null)}>
        <p className="text-sm">Their password and passkeys are taken away and their sessions end. A new link lets them in, once.</p>
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={() => setResetting(null)}>Keep</Button>
          <Button
            tone="danger"
            onClick={() => {
              const login = resetting;
              setResetting(null);
              if (login === null) return;
              void run(async () => {
                const { url } = await api.resetSignIn(login);
                setOnce({ what: `The only way in for ${login}.`, value: url });
              });
            }}
          >
            Reset
          </Button>
        </div>
      </Dialog>
      <Dialog open={leaving !== null} title={`Remove ${leaving?.name ?? ""}?`} onClose={() => setLeaving(null)}>
        <p className="text-sm">Sessions, links and open pages end with it.</p>
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={() => setLeaving(null)}>Keep</Button>
          <Button
            tone="danger"
            onClick={() => {
              if (leaving) void run(leaving.act);
              setLeaving(null);
            }}
          >
            Remove
          </Button>
        </div>
      </Dialog>
    </div>
  );
}

function TokenRow({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const now = useNow();
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 py-2">
      <p className="min-w-0 break-words">
        <span className="font-medium">{token.name}</span>
        <span className="block text-xs text-muted">
          {roleName(token.role)} · {token.expires_at ? `until ${when(token.expires_at, now)}` : "without an end"}
        </span>
      </p>
      <Button onClick={onRevoke}>
        Remove<span className="sr-only"> {token.name}</span>
      </Button>
    </li>
  );
}

type Run = (act: () => Promise<void>) => Promise<boolean>;

function AddUser({ tenant, run }: { tenant: string; run: Run }) {
  const [login, setLogin] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<string>("clerk");
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const made = await run(async () => void (await api.addUser({ login: login.trim(), name: name.trim(), role, tenant })));
    if (!made) return;
    setLogin("");
    setName("");
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="mt-3 grid items-end gap-3 sm:grid-cols-4">
      <label className="text-sm font-medium">
        Login
        <input required maxLength={200} autoComplete="off" value={login} onChange={(event) => setLogin(event.target.value)} className={INPUT} />
      </label>
      <label className="text-sm font-medium">
        Full name
        <input required maxLength={200} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} className={INPUT} />
      </label>
      <Role label="Role" role={role} onChange={setRole} />
      <Button type="submit">Add a person</Button>
    </form>
  );
}

function AddToken({ tenant, run, onMade }: { tenant: string; run: Run; onMade: (secret: string) => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<string>("supervisor");
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const made = await run(async () => onMade((await api.addToken({ name: name.trim(), role, days: 90, tenant })).secret));
    if (made) setName("");
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="mt-3 grid items-end gap-3 sm:grid-cols-3">
      <label className="text-sm font-medium">
        Name of the program
        <input required maxLength={200} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} className={INPUT} />
      </label>
      <Role label="Role of the program" role={role} onChange={setRole} />
      <Button type="submit">Make a token for 90 days</Button>
    </form>
  );
}

function Role({ label, role, onChange }: { label: string; role: string; onChange: (role: string) => void }) {
  return (
    <label className="text-sm font-medium">
      {label}
      <select value={role} onChange={(event) => onChange(event.target.value)} className={INPUT}>
        {ROLES.map((one) => (
          <option key={one} value={one}>
            {roleName(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
