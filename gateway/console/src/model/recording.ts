// Whether a live call is being recorded, and whether somebody paused that. Pure.
//
// Events and the recording itself tell of a pause; on a node that did not take the call nobody knows, and is told so.

import type { State } from "./state";

/** What is known of it: who paused it, or that nobody did (`by` of who resumed it, if anybody had to). */
export interface Pause {
  paused: boolean;
  by: string | null;
}

/** What is known of the recording of a live call. `unsure`: it is recorded, and whether somebody paused that is not known. */
export type Standing = { kind: "none" } | { kind: "on" } | { kind: "paused"; by: string } | { kind: "unsure" };

export function standing(recorded: boolean, pause: Pause | null): Standing {
  if (!recorded) return { kind: "none" };
  if (pause === null) return { kind: "unsure" };
  return pause.paused ? { kind: "paused", by: pause.by ?? "" } : { kind: "on" };
}

/** `me`: who reads it. */
export function standingText(now: Standing, me: string): string {
  switch (now.kind) {
    case "none":
      return "";
    case "on":
      return "Recording.";
    case "paused":
      return now.by === me ? "Recording paused by you: silence is kept." : `Recording paused by ${now.by || "somebody"}: silence is kept.`;
    case "unsure":
      return "Recording, unless somebody paused it.";
  }
}

/** The call with what is known now. */
export function withPause(state: State, id: string, pause: Pause | null): State {
  const call = state.calls[id];
  return call ? { ...state, calls: { ...state.calls, [id]: { ...call, pause } } } : state;
}
