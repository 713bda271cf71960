import { useEffect, useState } from "react";

import { api, explain, type Whose } from "../../api/client";
import type { AuditEntry, AuditVerdict, Me } from "../../api/types";
import { runsPlatform } from "../../app/permissions";
import { useNow } from "../../app/now";
import { words } from "../../model/format";
import { when } from "../../model/when";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { INPUT } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

const WHOSE: readonly (readonly [Whose, string])[] = [
  ["office", "Of this office"],
  ["platform", "Of the platform"],
];

/** Who did what, newest first, and whether the record is as it was written. */
export function AuditScreen({ me }: { me: Me }) {
  const [whose, setWhose] = useState<Whose>("office");
  const [action, setAction] = useState("");
  const [actor, setActor] = useState("");
  const [list, setList] = useState<{ items: AuditEntry[]; cursor: string | null } | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(
      () =>
        void api
          .audit(whose, { action: action.trim(), actor: actor.trim() }, null, { signal: abort.signal })
          .then((page) => {
            setList({ items: page.items, cursor: page.next_cursor });
            setError(null);
          })
          .catch((failure: unknown) => {
            if (!abort.signal.aborted) setError(failure);
          }),
      action === "" && actor === "" ? 0 : 300,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [whose, action, actor]);
  const more = (): void => {
    if (!list?.cursor) return;
    void api
      .audit(whose, { action: action.trim(), actor: actor.trim() }, list.cursor)
      .then((page) => setList({ items: [...list.items, ...page.items], cursor: page.next_cursor }))
      .catch(setError);
  };
  return (
    <div className="min-h-0 flex-1 lg:overflow-y-auto">
      <div className="mx-auto w-full max-w-4xl space-y-4 px-4 py-6 sm:px-6">
        <div>
          <h1 className="text-2xl font-semibold">Audit</h1>
          <p className="mt-1 text-muted">Who did what. Entries hold no personal text, and each carries the hash of the one before it.</p>
        </div>
        {runsPlatform(me) && (
          <div role="group" aria-label="Whose" className="flex flex-wrap gap-2">
            {WHOSE.map(([one, name]) => (
              <Chip
                key={one}
                on={whose === one}
                onClick={() => {
                  setList(null);
                  setWhose(one);
                }}
              >
                {name}
              </Chip>
            ))}
          </div>
        )}
        <Verify key={whose} whose={whose} />
        <Panel title="Entries" level={2}>
          <div className="grid gap-3 sm:grid-cols-2">
            <label className="block text-sm font-medium">
              Only this act
              <input value={action} onChange={(event) => setAction(event.target.value)} list="acts" maxLength={100} autoComplete="off" className={INPUT} />
            </label>
            <label className="block text-sm font-medium">
              Only of this person
              <input value={actor} onChange={(event) => setActor(event.target.value)} list="actors" maxLength={200} autoComplete="off" autoCapitalize="none" spellCheck={false} className={INPUT} />
            </label>
          </div>
          <datalist id="acts">
            {[...new Set(list?.items.map((entry) => entry.action))].map((known) => (
              <option key={known} value={known}>
                {known}
              </option>
            ))}
          </datalist>
          <datalist id="actors">
            {[...new Set(list?.items.filter((entry) => entry.actor.kind === "user").map((entry) => entry.actor.id))].map((known) => (
              <option key={known} value={known}>
                {known}
              </option>
            ))}
          </datalist>
          {error !== null && (
            <div className="mt-3">
              <Note alert>{explain(error)}</Note>
            </div>
          )}
          {!list && error === null && <p className="mt-3 text-sm text-muted">Loading…</p>}
          {list?.items.length === 0 && <p className="mt-3 text-sm text-muted">None.</p>}
          <ul className="mt-3 divide-y divide-line text-sm">
            {list?.items.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ul>
          {list?.cursor && <Button onClick={more}>Show more</Button>}
        </Panel>
      </div>
    </div>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const now = useNow();
  const details = Object.entries(entry.details);
  return (
    <li data-entry={entry.seq} className="skip-when-far py-2">
      <p className="break-words">
        <span className="font-medium">{entry.actor.id || words(entry.actor.kind)}</span> <span className="font-mono text-xs">{entry.action}</span>{" "}
        {entry.outcome !== "done" && <span className="font-semibold text-warm">{entry.outcome}</span>}
        <span className="block text-xs break-all text-muted">
          {when(entry.at, now)} · {words(entry.subject.kind)} {entry.subject.id}
        </span>
      </p>
      {details.length > 0 && <p className="text-xs break-all text-muted">{details.map(([name, value]) => `${words(name)}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ")}</p>}
    </li>
  );
}

function Verify({ whose }: { whose: Whose }) {
  const [verdict, setVerdict] = useState<AuditVerdict | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const verify = (): void => {
    setBusy(true);
    void api
      .verifyAudit(whose)
      .then((found) => {
        setVerdict(found);
        setError(null);
      })
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <Panel title="Is it whole?" level={2}>
      <Button tone="primary" disabled={busy} onClick={verify}>
        {busy ? "Reading every entry…" : "Verify"}
      </Button>
      {error !== null && (
        <div className="mt-3">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
      <div role="status" className="mt-3 text-sm empty:hidden">
        {verdict?.whole && (
          <>
            <p className="font-medium text-good">Whole: {verdict.entries ?? 0} entries are as they were written.</p>
            {verdict.head && <p className="mt-1 break-all text-muted">Note this somewhere else, to hold it against later: <span className="font-mono text-xs">{verdict.head}</span></p>}
          </>
        )}
        {verdict && !verdict.whole && (
          <Note alert>
            Entry {verdict.broken?.seq} is not as it was written: {verdict.broken?.problem}.
          </Note>
        )}
      </div>
    </Panel>
  );
}
