import type { RefObject } from "react";

import { useKeys } from "../../app/keys";
import { useNow } from "../../app/now";
import { phone } from "../../app/phone";
import { duration, phoneNumber } from "../../model/format";
import type { PhoneState } from "../../phone/phone";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { Keypad } from "./Keypad";
import { Meters } from "./Meters";
import { RecordingControls } from "./RecordingControls";

const KEYS = /^[0-9*#]$/;

/** During a call. */
export function InCall({ state, heading }: { state: PhoneState; heading: RefObject<HTMLHeadingElement | null> }) {
  const talking = state.status === "talking";
  const now = useNow(talking);

  useKeys((key) => {
    if (KEYS.test(key)) phone.press(key);
    else if (key === "m") phone.setMuted(!state.muted);
    else if (key === "h") phone.hangUp();
    else return false;
    return true;
  });

  return (
    <div className="mx-auto max-w-md space-y-6">
      <div className="flex items-end justify-between gap-4">
        <div className="min-w-0">
          <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold outline-none">
            {talking ? "In a call" : "Calling…"}
          </h1>
          <p className="mt-1 text-muted">
            {talking ? phoneNumber(state.to) : state.recording ? "Opening the line." : "Allow the microphone if the browser asks."}
          </p>
        </div>
        <p role="timer" aria-label="Length of the call" className="figures text-3xl font-light">
          {duration(talking ? now - state.startedAt : 0)}
        </p>
      </div>
      {state.problem && (
        <Note alert>
          <p className="font-semibold">{state.problem.title}</p>
          <p>{state.problem.detail}</p>
        </Note>
      )}
      <Meters muted={state.muted} recording={state.recording !== ""} />
      {state.recording && <RecordingControls state={state} />}
      <div className="grid grid-cols-2 gap-3">
        <Button
          large
          icon={state.muted ? "muted" : "microphone"}
          aria-pressed={state.muted}
          disabled={!talking}
          className={state.muted ? "border-warm text-warm" : ""}
          onClick={() => phone.setMuted(!state.muted)}
        >
          {state.muted ? "Muted" : "Mute"}
        </Button>
        <Button tone="danger" large icon="hangup" onClick={() => phone.hangUp()}>
          Hang up
        </Button>
      </div>
      <Keypad disabled={!talking} lastKey={state.lastKey} />
    </div>
  );
}
