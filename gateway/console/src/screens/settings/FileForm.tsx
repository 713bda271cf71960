import type { ChangeEvent } from "react";

import { explain } from "../../api/client";
import { FILE, TEXTAREA } from "../../ui/classes";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";
import { Outcome } from "./Outcome";
import { useConfigFile } from "./useConfig";

/** The same document as the file that `quandura tenant apply` takes: everything that there are no fields for. */
export function FileForm({ tenant }: { tenant: string }) {
  const config = useConfigFile(tenant);
  if (config.error !== null && config.document === null) {
    return (
      <div className="mt-5">
        <Note alert>{explain(config.error)}</Note>
      </div>
    );
  }
  if (config.document === null) return <p className="mt-6 text-muted">Loading…</p>;
  const choose = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = event.target.files?.[0];
    if (!file) return;
    const text = await file.text();
    config.change(() => text);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void config.check();
      }}
      className="mt-5 space-y-4"
    >
      <Panel title="The file" level={2}>
        <label className="mb-3 block text-sm font-medium">
          From a file
          <input type="file" accept=".toml,application/toml" onChange={(event) => void choose(event)} className={FILE} />
        </label>
        <label className="block text-sm font-medium">
          TOML
          <textarea
            rows={24}
            spellCheck={false}
            value={config.document}
            onChange={(event) => {
              config.change(() => event.target.value);
            }}
            className={`${TEXTAREA} font-mono text-sm`}
          />
        </label>
      </Panel>
      <Outcome config={config} />
    </form>
  );
}
