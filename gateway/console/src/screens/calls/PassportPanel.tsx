import type { ReactNode } from "react";

import { explain } from "../../api/client";
import type { Passport } from "../../api/types";
import { hrefs } from "../../app/route";
import { words } from "../../model/format";
import { asked, broke, filed, open, promised, statusName, sure } from "../../model/passport";
import type { Call } from "../../model/state";
import { Badge, type Tone } from "../../ui/Badge";
import { Disclosure } from "../../ui/Disclosure";
import { Panel } from "../../ui/Panel";
import { fieldName, givenFields, isIncomplete, plainValue, requestTitle, stateName, veiled } from "../requests/labels";
import { JsonView } from "./JsonView";
import { Ledger } from "./Ledger";
import { useFiled, usePassport, type Filed } from "./usePassport";

const TONES: Record<string, Tone> = { completed: "good", failed: "danger", escalated: "danger", blocked: "warm" };

/** The call as a piece of work: what was asked, taken down, promised and done, what is open, and how sure the agents are. */
export function PassportPanel({ call }: { call: Call }) {
  const { passport, error } = usePassport(call);
  return (
    <Panel title="Passport" aside={passport?.status && <Badge tone={TONES[passport.status] ?? "accent"}>{statusName(passport.status)}</Badge>}>
      {passport ? (
        <Story passport={passport} live={call.facts.state === "live"} />
      ) : (
        <p className="text-sm text-muted">
          {error ? explain(error) : "Opens with the first thing that the caller asks for, and goes on living after the call."}
        </p>
      )}
    </Panel>
  );
}

function Story({ passport, live }: { passport: Passport; live: boolean }) {
  const references = filed(passport);
  const requests = useFiled(references, passport.version);
  const { value, reasons } = sure(passport);
  const left = open(passport);
  return (
    <div className="space-y-4 text-sm">
      {broke(passport) && <Badge tone="danger">The call broke off</Badge>}
      <Part title="What was asked">
        <Lines lines={asked(passport)} none="Nothing that was understood yet." />
      </Part>
      {references.length > 0 && (
        <Part title="What was taken down">
          <ul className="space-y-2">
            {requests.map((request) => (
              <TakenDown key={request.reference} {...request} />
            ))}
          </ul>
        </Part>
      )}
      {promised(passport).length > 0 && (
        <Part title="What was promised">
          <Lines lines={promised(passport)} none="" />
        </Part>
      )}
      <Part title="What is open">
        <Lines lines={left} none={live ? "Nothing so far." : "Nothing."} />
      </Part>
      <Part title="How sure">
        {value === null ? (
          <p className="text-muted">Nobody has judged it yet.</p>
        ) : (
          <>
            <p>{Math.round(value * 100)}%</p>
            <ul className="text-muted">
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          </>
        )}
      </Part>
      <Disclosure summary={`What was done, and by whom (${passport.ledger?.length ?? 0})`} open>
        <Ledger entries={passport.ledger ?? []} />
      </Disclosure>
      <Disclosure summary="Whole document">
        <JsonView value={passport} />
      </Disclosure>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h4 className="mb-0.5 text-xs font-semibold text-muted">{title}</h4>
      {children}
    </section>
  );
}

function Lines({ lines, none }: { lines: readonly string[]; none: string }) {
  if (lines.length === 0) return <p className="text-muted">{none}</p>;
  return (
    <ul>
      {lines.map((line) => (
        <li key={line} className="break-words">
          {line}
        </li>
      ))}
    </ul>
  );
}

/** A request that came out of the call. Its own page has it all; where it cannot be read, its reference alone. */
function TakenDown({ reference, item }: Filed) {
  return (
    <li className="rounded-lg bg-raised px-3 py-2">
      <p className="flex flex-wrap items-center justify-between gap-2">
        <a href={hrefs.request(reference)} className="font-medium break-words text-accent underline underline-offset-2">
          {item ? veiled(requestTitle(item)) : reference}
        </a>
        {item && <Badge tone={item.status === "done" ? "good" : "plain"}>{stateName(item.status)}</Badge>}
      </p>
      {item && (
        <>
          <p className="font-mono text-xs text-muted">{reference}</p>
          {isIncomplete(item) && <p className="text-warm">Told in part only</p>}
          <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-muted">
            {givenFields(item).map((field) => (
              <div key={field.name} className="contents">
                <dt>{fieldName(field.name)}</dt>
                <dd className="break-words text-text">{veiled(words(plainValue(field.value)))}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </li>
  );
}
