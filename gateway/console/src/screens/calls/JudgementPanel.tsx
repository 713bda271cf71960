import { useEffect, useState } from "react";

import { api, explain } from "../../api/client";
import type { Judgements, Me } from "../../api/types";
import { worksOnRequests } from "../../app/permissions";
import { useNow } from "../../app/now";
import { useOffers } from "../../app/capabilities";
import type { Call } from "../../model/state";
import { when } from "../../model/when";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { Panel } from "../../ui/Panel";

/** Of a call that is over: what people held of it, and their say. Without it nobody knows whether an answer was right. */
export function JudgementPanel({ call, me }: { call: Call; me: Me }) {
  const offered = useOffers().has("/v1/calls/{id}/judgement") && call.facts.state === "ended";
  const { id } = call.facts;
  const [found, setFound] = useState<Judgements | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const now = useNow();
  useEffect(() => {
    if (!offered) return undefined;
    const abort = new AbortController();
    api
      .judgements(id, { signal: abort.signal })
      .then(setFound)
      .catch(() => undefined);
    return () => abort.abort();
  }, [id, offered]);
  if (!offered || !found) return null;
  const last = found.items.at(-1);
  const judge = (right: boolean): void => {
    setBusy(true);
    api
      .judgeCall(id, right)
      .then((by) => {
        setFound(by);
        setError(null);
      })
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <Panel title="Was the line right?">
      <p role="status" className="text-sm">
        {last ? `${last.line_was_right ? "It was right" : "It was not right"}, says ${last.actor}` : "Nobody has said so yet."}
        {last && <span className="text-muted"> · {when(last.at, now)}</span>}
      </p>
      {error !== null && (
        <div className="mt-3">
          <Note alert>{explain(error)}</Note>
        </div>
      )}
      {worksOnRequests(me) && (
        <div className="mt-3 flex flex-wrap gap-2">
          <Button disabled={busy} aria-pressed={last?.line_was_right === true} onClick={() => judge(true)}>
            It was right
          </Button>
          <Button disabled={busy} aria-pressed={last?.line_was_right === false} onClick={() => judge(false)}>
            It was not
          </Button>
        </div>
      )}
    </Panel>
  );
}
