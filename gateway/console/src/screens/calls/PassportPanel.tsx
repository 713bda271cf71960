import { useEffect, useState } from "react";

import { api, ApiError, explain } from "../../api/client";
import type { Passport } from "../../api/types";
import { useConsole } from "../../app/console";
import { fieldText, words } from "../../model/format";
import type { Call } from "../../model/state";
import { Badge } from "../../ui/Badge";
import { Disclosure } from "../../ui/Disclosure";
import { FieldList } from "../../ui/FieldList";
import { Panel } from "../../ui/Panel";
import { JsonView } from "./JsonView";
import { Ledger } from "./Ledger";

/** The work item that the call is about: what it holds now, who did what, and the whole document. */
export function PassportPanel({ call }: { call: Call }) {
  const { passport, error } = usePassport(call);
  return (
    <Panel title="Passport" aside={passport?.status && <Badge tone="accent">{words(passport.status)}</Badge>}>
      {passport ? (
        <div className="space-y-3">
          {(passport.title || passport.kind) && (
            <p className="text-sm font-medium">{passport.title || words(passport.kind ?? "")}</p>
          )}
          {passport.summary && <p className="text-sm text-muted">{passport.summary}</p>}
          {passport.fields && passport.fields.length > 0 && (
            <FieldList fields={passport.fields.map((f) => [words(f.name), fieldText(f.value)] as const)} />
          )}
          {passport.ledger && (
            <Disclosure summary={`Ledger (${passport.ledger.length})`} open>
              <Ledger entries={passport.ledger} />
            </Disclosure>
          )}
          <Disclosure summary="Whole document">
            <JsonView value={passport} />
          </Disclosure>
        </div>
      ) : (
        <p className="text-sm text-muted">
          {error ? explain(error) : "Opens with the first thing that the caller asks for, and goes on living after the call."}
        </p>
      )}
    </Panel>
  );
}

/** The document, loaded again whenever an event says that it has changed. */
function usePassport(call: Call): { passport: Passport | null; error: unknown } {
  const epoch = useConsole((now) => now.epoch);
  const [loaded, setLoaded] = useState<{ passport: Passport | null; error: unknown }>({ passport: null, error: null });
  const { id, state } = call.facts;
  const version = call.passport?.version;
  useEffect(() => {
    const abort = new AbortController();
    api
      .passport(id, { signal: abort.signal })
      .then((passport) => setLoaded({ passport, error: null }))
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        // None yet is an ordinary answer.
        const none = error instanceof ApiError && error.status === 404;
        setLoaded((old) => ({ passport: old.passport, error: none ? null : error }));
      });
    return () => abort.abort();
  }, [id, state, version, epoch]);
  return loaded;
}
