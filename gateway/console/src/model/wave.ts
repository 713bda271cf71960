// A recording as it is drawn, and whose words are being played. Pure.

import type { Utterance } from "./state";

/** Heights of 0 to 1, as many as there is room for: the loudest moment of each stretch, on a scale as ears have it. */
export function bars(peaks: readonly number[], room: number): number[] {
  const count = Math.max(0, Math.min(Math.floor(room), peaks.length));
  return Array.from({ length: count }, (_, n) => {
    const from = Math.floor((n * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((n + 1) * peaks.length) / count));
    return Math.sqrt(Math.max(...peaks.slice(from, to)) / 255);
  });
}

/** The key of the words that are spoken at a moment of the recording; empty before the first. `callStart`, `offsetMs`: when the call began,
 * and how far into it the recording does. */
export function spokenAt(utterances: readonly Utterance[], callStart: string, offsetMs: number, playedMs: number): string {
  const now = Date.parse(callStart) + offsetMs + playedMs;
  let found: Utterance | undefined;
  for (const utterance of utterances) {
    const began = Date.parse(utterance.startedAt);
    if (began <= now && (!found || began >= Date.parse(found.startedAt))) found = utterance;
  }
  return found ? keyOf(found) : "";
}

export const keyOf = (utterance: Utterance): string => `${utterance.turn}/${utterance.speaker}`;
