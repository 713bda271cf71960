// Whether a live call is being recorded, and whether somebody paused that. Pure.
//
// No event tells of a pause, and the recording itself does not say: the audit does, to those who may read it, and a person
// knows what they did themselves. Whoever knows neither is told so, and not that all is well.

import type { AuditEntry } from "../api/types";
import type { State } from "./state";

/** What is known of it: who paused it, or that nobody did (`by` of who resumed it, if anybody had to). */
export interface Pause {
  paused: boolean;
  by: string | null;
}

/** What is known of the recording of a live call. `unsure`: it is recorded, and whether somebody paused that is not known. */
export type Standing = { kind: "none" } | { kind: "on" } | { kind: "paused"; by: string } | { kind: "unsure" };

const PAUSES: Readonly<Record<string, boolean>> = { "recording.started": false, "recording.resumed": false, "recording.paused": true };

/** What the newest entries of a call's audit tell, newest first. `all`: there are no older ones. Null: nothing. */
export function pauseOf(entries: readonly AuditEntry[], all: boolean): Pause | null {
  const last = entries.find(({ action }) => Object.hasOwn(PAUSES, action));
  if (!last) return all ? { paused: false, by: null } : null;
  // A second stream of the call records anew, whatever was paused before; the program begins that, and nobody's name is on it.
  return { paused: PAUSES[last.action] === true, by: last.action === "recording.started" ? null : last.actor.id };
}

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
