import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import type { Checked } from "../../model/config";
import { TEXTAREA } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { Outcome } from "./Outcome";

/** The same document as the file that `quandura tenant apply` takes: everything that there are no fields for. */
export function FileForm({ tenant }: { tenant: string }) {
  const [kept, setKept] = useState<{ document: string; version: string } | null>(null);
  const [before, setBefore] = useState<string | null>(null);
  const [text, setText] = useState("");
  const [checked, setChecked] = useState<Checked | null>(null);
  const [applied, setApplied] = useState<string[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const show = (found: { document: string; version: string }): void => {
    setKept(found);
    setText(found.document);
  };
  useEffect(() => {
    void api.configFile(tenant).then(show).catch(setError);
  }, [tenant]);
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
  const lay = (next: string, then: string | null): Promise<void> =>
    run(async () => {
      if (!kept) return;
      const { changes } = await api.putConfig(tenant, next, kept.version);
      setBefore(then);
      setApplied(changes);
      setChecked(null);
      show(await api.configFile(tenant));
    });
  if (error !== null && !kept) {
    return (
      <div className="mt-5">
        <Note alert>{explain(error)}</Note>
      </div>
    );
  }
  if (!kept) return <p className="mt-6 text-muted">Loading…</p>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run(async () => {
          setChecked(await api.checkConfig(tenant, text));
          setApplied(null);
        });
      }}
      className="mt-5 space-y-4"
    >
      <Panel title="The file" level={2}>
        <label className="block text-sm font-medium">
          TOML
          <textarea
            rows={24}
            spellCheck={false}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setChecked(null);
              setApplied(null);
            }}
            className={`${TEXTAREA} font-mono text-sm`}
          />
        </label>
      </Panel>
      <Outcome
        config={{ checked, error, busy, applied, canTakeBack: before !== null, apply: () => lay(text, kept.document), takeBack: async () => (before === null ? undefined : lay(before, null)) }}
      />
    </form>
  );
}
