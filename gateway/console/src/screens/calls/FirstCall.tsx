import type { ReactNode } from "react";

import type { Me } from "../../api/types";
import { mayOpen } from "../../app/permissions";
import { hrefs } from "../../app/route";
import { phoneNumber } from "../../model/format";
import { LinkButton } from "../../ui/LinkButton";

/** No call has been made yet: the three ways to make one, the easiest first. */
export function FirstCall({ me }: { me: Me }) {
  const line = me.lines[0];
  const calls = mayOpen(me, "phone");
  return (
    <div className="mx-auto w-full max-w-3xl px-5 py-10 sm:py-16">
      <h1 className="text-2xl font-semibold">No calls yet</h1>
      <p className="mt-2 text-muted">
        {line
          ? `${line.name} answers at ${phoneNumber(line.number)}.${calls ? " Here is how to make the first call." : " Calls appear here while they are on the line."}`
          : calls && "Here is how to make the first call."}
      </p>
      {calls && <Ways me={me} />}
    </div>
  );
}

function Ways({ me }: { me: Me }) {
  const line = me.lines[0];
  return (
    <div>
      <ol className="mt-8 space-y-4">
        <Way step={1} title="Call from this browser">
          <p>Speak through your microphone, or play a recording if this machine has none.</p>
          <LinkButton href={hrefs.phone} icon="phone">
            Open the phone
          </LinkButton>
        </Way>
        <Way step={2} title="Call from the command line">
          <p>Speaks your words in the built-in voice and prints what both sides say:</p>
          <Command>{`quandura call --say "When is the permit office open?"${line ? ` --to ${line.number}` : ""}`}</Command>
        </Way>
        <Way step={3} title="Call from any telephone">
          <p>Buy a number from your carrier and set its voice address to:</p>
          <Command>{`${me.public_url ?? location.origin}/twilio/voice`}</Command>
          {me.mode === "demo" && (
            <p>Until the carrier&rsquo;s auth token is configured, the gateway accepts calls from its own machine only.</p>
          )}
        </Way>
      </ol>
    </div>
  );
}

function Way({ step, title, children }: { step: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-4 rounded-xl border border-line bg-panel p-5">
      <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-full bg-warm-soft font-semibold text-warm">
        {step}
      </span>
      <div className="min-w-0 flex-1 space-y-3 text-sm text-muted">
        <h2 className="pt-1 text-base leading-6 font-semibold text-text">{title}</h2>
        {children}
      </div>
    </li>
  );
}

function Command({ children }: { children: string }) {
  return (
    <pre className="rounded-lg border border-line bg-ground px-3 py-2.5 font-mono text-[0.82rem] break-all whitespace-pre-wrap text-text">
      {children}
    </pre>
  );
}
