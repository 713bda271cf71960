import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import type { KeptVersion, VersionDetail } from "../../api/types";
import { useNow } from "../../app/now";
import { when } from "../../model/when";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

/** What the document was, who changed it, and the way back. */
export function HistoryForm({ tenant }: { tenant: string }) {
  const now = useNow();
  const [items, setItems] = useState<readonly KeptVersion[] | null>(null);
  const [chosen, setChosen] = useState<VersionDetail | null>(null);
  const [told, setTold] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const ask = new AbortController();
    api
      .configVersions(tenant, { signal: ask.signal })
      .then((found) => setItems(found.items))
      .catch((failure: unknown) => {
        if (!ask.signal.aborted) setError(failure);
      });
    return () => ask.abort();
  }, [tenant, revision]);
  const run = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
      setError(null);
    } catch (failure) {
      setError(failure);
    }
  };
  const goBack = (number: number): void => {
    setChosen(null);
    void run(async () => {
      const { kept_as } = await api.rollBackConfig(tenant, number);
      setTold(kept_as === null ? "Nothing was to be changed." : `Version ${number} holds again, from the next call on. It is kept as version ${kept_as}.`);
      setRevision((n) => n + 1);
    });
  };
  return (
    <div className="mt-5 space-y-4">
      {error !== null && <Note alert>{explain(error)}</Note>}
      <Panel title="Versions" level={2}>
        <p className="text-sm text-muted">Every document that was applied, the newest first. Going back makes a new version; calls that are under way end as they began.</p>
        <p role="status" className="mt-2 text-sm font-medium text-good empty:hidden">
          {told}
        </p>
        {items === null && error === null && <p className="mt-2 text-sm text-muted">Loading…</p>}
        {items?.length === 0 && <p className="mt-2 text-sm text-muted">Nothing was changed yet.</p>}
        <ul className="mt-2 divide-y divide-line text-sm">
          {items?.map((item) => (
            <li key={item.number} data-version={item.number} className="flex flex-wrap items-start justify-between gap-2 py-2">
              <div className="min-w-0 flex-1 break-words">
                <p className="font-medium">Version {item.number}</p>
                <p className="text-xs text-muted">
                  {when(item.made_at, now)} · {item.actor}
                </p>
                <Changes changes={item.changes} />
              </div>
              <Button onClick={() => void run(async () => setChosen(await api.configVersion(tenant, item.number)))}>
                Go back<span className="sr-only"> to version {item.number}</span>
              </Button>
            </li>
          ))}
        </ul>
      </Panel>
      <Dialog open={chosen !== null} title={`Go back to version ${chosen?.number ?? ""}?`} onClose={() => setChosen(null)}>
        {chosen?.differences.length === 0 ? (
          <p className="text-sm">It is what holds now: there is nothing to change.</p>
        ) : (
          <>
            <p className="text-sm font-medium">It would change:</p>
            <Changes changes={chosen?.differences ?? []} />
          </>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={() => setChosen(null)}>Keep</Button>
          {chosen && chosen.differences.length > 0 && (
            <Button tone="primary" onClick={() => goBack(chosen.number)}>
              Go back
            </Button>
          )}
        </div>
      </Dialog>
    </div>
  );
}

const Changes = ({ changes }: { changes: readonly string[] }) => (
  <ul className="mt-1 list-disc space-y-1 pl-5">
    {changes.map((change) => (
      <li key={change} className="break-words">
        {change}
      </li>
    ))}
  </ul>
);
