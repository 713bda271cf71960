import { useEffect, useState, type FormEvent } from "react";

import { api, explain } from "../../api/client";
import type { KeptVersion } from "../../api/types";
import { useNow } from "../../app/now";
import type { Checked } from "../../model/config";
import { when } from "../../model/when";
import { Button } from "../../ui/Button";
import { TEXTAREA } from "../../ui/classes";
import { Dialog } from "../../ui/Dialog";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { TryPanel } from "./TryPanel";

interface Props {
  /** Empty: a new one. */
  id: string;
  text: string;
  version: string;
  /** Whether whoever is signed in may change it. */
  may: boolean;
  onClose: () => void;
}

const idOf = (text: string): string => /^id\s*=\s*"([^"]*)"/m.exec(text)?.[1] ?? "";

/** One team as its text: checked, tried, applied, gone back to, taken away. */
export function TeamEditor({ id, text: held, version, may, onClose }: Props) {
  const [text, setText] = useState(held);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const run = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await act();
      setError(null);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => setChecked(await api.checkTeam(text)));
  };
  const wrong = checked?.valid === false;
  return (
    <>
      <form onSubmit={submit}>
        <Panel title={id === "" ? "A new team" : id} level={2}>
          <label className="block text-sm font-medium">
            TOML
            <textarea
              rows={22}
              spellCheck={false}
              readOnly={!may}
              aria-invalid={wrong}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setChecked(null);
              }}
              className={`${TEXTAREA} font-mono text-sm`}
            />
          </label>
          <div role="status" className="mt-3 text-sm empty:hidden">
            {checked && <Said checked={checked} text={text} />}
          </div>
          {error !== null && (
            <div className="mt-3">
              <Note alert>{explain(error)}</Note>
            </div>
          )}
          <div className="mt-4 flex flex-wrap gap-2">
            <Button type="submit" tone={checked?.valid ? "plain" : "primary"} disabled={busy}>
              Check
            </Button>
            {may && checked?.valid && checked.changes.length > 0 && (
              <Button
                tone="primary"
                disabled={busy}
                onClick={() =>
                  void run(async () => {
                    await api.putTeam(idOf(text), text, id === "" ? "*" : version);
                    onClose();
                  })
                }
              >
                Apply
              </Button>
            )}
            <Button onClick={onClose}>Back to the teams</Button>
          </div>
        </Panel>
      </form>
      <TryPanel draft={text} />
      {id !== "" && <Versions id={id} may={may} run={run} onChanged={onClose} />}
    </>
  );
}

/** What is wrong, beside the line where it stands; or what would change. */
function Said({ checked, text }: { checked: Checked; text: string }) {
  const lines = text.split("\n");
  if (!checked.valid) {
    return (
      <>
        <p className="font-medium text-danger">{checked.faults.length === 1 ? "One thing is wrong:" : `${checked.faults.length} things are wrong:`}</p>
        <ul className="mt-1 space-y-2">
          {checked.faults.map((fault) => (
            <li key={`${fault.key} ${fault.message}`} className="break-words">
              {fault.line ? (
                <code className="block rounded bg-raised px-2 py-1 text-xs break-all">
                  {fault.line}: {lines[fault.line - 1]}
                </code>
              ) : null}
              <span className="font-mono text-xs">{fault.key}</span> {fault.message}
            </li>
          ))}
        </ul>
      </>
    );
  }
  if (checked.changes.length === 0) return <p>It is as it holds: there is nothing to apply.</p>;
  return (
    <>
      <p className="font-medium">It would change:</p>
      <ul className="mt-1 list-disc space-y-1 pl-5">
        {checked.changes.map((change) => (
          <li key={change} className="break-words">
            {change}
          </li>
        ))}
      </ul>
    </>
  );
}

interface VersionsProps {
  id: string;
  may: boolean;
  run: (act: () => Promise<void>) => Promise<void>;
  onChanged: () => void;
}

function Versions({ id, may, run, onChanged }: VersionsProps) {
  const now = useNow();
  const [items, setItems] = useState<readonly KeptVersion[]>([]);
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    const ask = new AbortController();
    // A team that ships has none, and that is no failure.
    void api.teamVersions(id, { signal: ask.signal }).then((found) => setItems(found.items), () => undefined);
    return () => ask.abort();
  }, [id]);
  if (items.length === 0) return null;
  const isOwn = items[0]?.is_gone === false;
  return (
    <Panel title="Versions" level={2}>
      <ul className="divide-y divide-line text-sm">
        {items.map((item, n) => (
          <li key={item.number} data-version={item.number} className="flex flex-wrap items-start justify-between gap-2 py-2">
            <div className="min-w-0 flex-1 break-words">
              <p className="font-medium">Version {item.number}</p>
              <p className="text-xs text-muted">
                {when(item.made_at, now)} · {item.actor}
              </p>
              <ul className="mt-1 list-disc pl-5">
                {item.changes.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            </div>
            {may && n > 0 && !item.is_gone && (
              <Button
                onClick={() =>
                  void run(async () => {
                    await api.rollBackTeam(id, item.number);
                    onChanged();
                  })
                }
              >
                Go back<span className="sr-only"> to version {item.number}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {may && isOwn && (
        <div className="mt-3">
          <Button onClick={() => setLeaving(true)}>Take this text away</Button>
        </div>
      )}
      <Dialog open={leaving} title="Take this text away?" onClose={() => setLeaving(false)}>
        <p className="text-sm">Where a team of this name ships, that holds again; else what waits for it goes to a person.</p>
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={() => setLeaving(false)}>Keep</Button>
          <Button
            tone="danger"
            onClick={() => {
              setLeaving(false);
              void run(async () => {
                await api.removeTeam(id);
                onChanged();
              });
            }}
          >
            Take away
          </Button>
        </div>
      </Dialog>
    </Panel>
  );
}
