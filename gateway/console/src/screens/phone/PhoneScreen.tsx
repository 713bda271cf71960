import { useEffect, useRef } from "react";

import type { Me } from "../../api/types";
import { useConsole } from "../../app/console";
import { phone, usePhone } from "../../app/phone";
import { LatencyPanel } from "../calls/LatencyPanel";
import { Captions } from "./Captions";
import { Dialer } from "./Dialer";
import { InCall } from "./InCall";

/** Longer than any goodbye that can still be queued when a call ends. */
const CLOSING_MS = 3000;

/** The browser as a telephone, with captions of both sides. */
export function PhoneScreen({ me }: { me: Me }) {
  const state = usePhone();
  const call = useConsole((now) => (state.callId ? now.state.calls[state.callId] : undefined));
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(state.status);

  // The gateway closes the socket when a call ends. Should that word be lost, its event ends the call too, but only
  // after a goodbye still on its way has been heard.
  const ended = call?.facts.state === "ended";
  useEffect(() => {
    if (!ended) return undefined;
    const timer = setTimeout(() => phone.hangUp(), CLOSING_MS);
    return () => clearTimeout(timer);
  }, [ended]);

  // The button that was pressed is gone when a call begins or ends: the focus goes to what says so.
  useEffect(() => {
    if (before.current !== state.status) heading.current?.focus();
    before.current = state.status;
  }, [state.status]);

  const busy = state.status === "starting" || state.status === "talking";
  return (
    <div className="grid min-h-0 flex-1 lg:grid-cols-[25rem_minmax(0,1fr)]">
      <div className="border-line p-4 sm:p-6 lg:overflow-y-auto lg:border-r">
        {busy ? <InCall state={state} heading={heading} /> : <Dialer me={me} state={state} heading={heading} />}
      </div>
      <div className="flex min-h-0 min-w-0 flex-col gap-4 p-4 sm:p-6 lg:overflow-y-auto">
        <Captions call={call} active={busy} />
        {call && call.latency.length > 0 && <LatencyPanel call={call} />}
      </div>
    </div>
  );
}
