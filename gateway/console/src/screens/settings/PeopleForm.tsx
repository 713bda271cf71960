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

/** Roles of an office, and the one of the platform. */
const ROLES = ["clerk", "supervisor", "agent-admin", "tenant-admin", "auditor"] as const;
const RUNS_PLATFORM = ["platform-admin"] as const;
/** Whoever holds the machine: signed in by a link that it prints, and there whatever is removed. */
const LOCAL = "local-admin";
type Realm = string | null;
const roleName = (role: string): string => words(role.replaceAll("-", " "));

interface Props {
  /** Null: the platform's own. */
  tenant: Realm;
  me: Me;
}

/** Who may sign in at this office, or runs the platform, and which programs may ask. */
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
  const isPlatform = tenant === null;
  const named = users?.filter((user) => user.login !== LOCAL).length ?? 0;
  return (
    <div className="mt-5 space-y-4">
      {error !== null && <Note alert>{explain(error)}</Note>}
      {once && (
        <Note tone="warm">
          <p className="font-medium">{once.what} It is shown here only, once.</p>
          <p className="mt-1 font-mono text-xs break-all select-all">{once.value}</p>
        </Note>
      )}
      <Panel title={isPlatform ? "Platform administrators" : "People"} level={2}>
        {isPlatform && <p className="mb-2 text-sm text-muted">They belong to no office, see every one, make offices, and add and remove each other. The last with a name of their own stays.</p>}
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
              {user.login === LOCAL ? (
                <p className="text-xs text-muted">Whoever holds the machine; cannot be removed.</p>
              ) : (
                <UserActs
                  user={user}
                  isSelf={user.login === me.subject}
                  isLast={isPlatform && named === 1}
                  onLink={() =>
                    void run(async () => {
                      const { url } = await api.signInLink(user.login);
                      setOnce({ what: `A link that signs ${user.login} in.`, value: url });
                    })
                  }
                  onReset={() => setResetting(user.login)}
                  onRemove={() => setLeaving({ name: user.login, act: () => api.removeUser(user.id, tenant) })}
                />
              )}
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

interface ActsProps {
  user: User;
  isSelf: boolean;
  /** Nobody else runs the platform under a name of their own. */
  isLast: boolean;
  onLink: () => void;
  onReset: () => void;
  onRemove: () => void;
}

function UserActs({ user, isSelf, isLast, onLink, onReset, onRemove }: ActsProps) {
  return (
    <p className="flex flex-wrap items-center gap-2">
      {isLast && <span className="text-xs text-muted">The last one: add another first.</span>}
      <Button onClick={onLink}>
        Sign-in link<span className="sr-only"> for {user.login}</span>
      </Button>
      {!isSelf && (
        <Button onClick={onReset}>
          Reset sign-in<span className="sr-only"> of {user.login}</span>
        </Button>
      )}
      {!isSelf && !isLast && (
        <Button onClick={onRemove}>
          Remove<span className="sr-only"> {user.login}</span>
        </Button>
      )}
    </p>
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

function AddUser({ tenant, run }: { tenant: Realm; run: Run }) {
  const [login, setLogin] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<string>(tenant === null ? "platform-admin" : "clerk");
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
      <Role label="Role" roles={tenant === null ? RUNS_PLATFORM : ROLES} role={role} onChange={setRole} />
      <Button type="submit">{tenant === null ? "Add an administrator" : "Add a person"}</Button>
    </form>
  );
}

function AddToken({ tenant, run, onMade }: { tenant: Realm; run: Run; onMade: (secret: string) => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<string>(tenant === null ? "platform-admin" : "supervisor");
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
      <Role label="Role of the program" roles={tenant === null ? RUNS_PLATFORM : ROLES} role={role} onChange={setRole} />
      <Button type="submit">Make a token for 90 days</Button>
    </form>
  );
}

function Role({ label, roles, role, onChange }: { label: string; roles: readonly string[]; role: string; onChange: (role: string) => void }) {
  return (
    <label className="text-sm font-medium">
      {label}
      <select value={role} onChange={(event) => onChange(event.target.value)} className={INPUT}>
        {roles.map((one) => (
          <option key={one} value={one}>
            {roleName(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
