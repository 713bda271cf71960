// Edits of a call's list of utterances. Pure: each gives a new list and leaves the old one alone.

import type { Speaker } from "../api/types";
import type { Segment, Utterance } from "./state";

/** Within a turn the caller speaks first, then the agent answers; a supervisor's words come after both. */
const RANK: Record<Speaker, number> = { caller: 0, agent: 1, supervisor: 2 };

function blank(turn: number, speaker: Speaker, at: string): Utterance {
  return {
    turn,
    speaker,
    text: "",
    interim: false,
    segments: [],
    heard: "",
    cut: false,
    interrupted: false,
    estimated: false,
    startedAt: at,
    endedAt: null,
  };
}

/** Applies `edit` to the utterance of that turn and speaker, made first if need be. */
export function editUtterance(
  list: Utterance[],
  turn: number,
  speaker: Speaker,
  at: string,
  edit: (old: Utterance) => Utterance,
): Utterance[] {
  const index = list.findIndex((u) => u.turn === turn && u.speaker === speaker);
  const found = list[index];
  if (found) return list.with(index, edit(found));
  const made = edit(blank(turn, speaker, at));
  const after = list.findIndex(
    (u) => u.turn > turn || (u.turn === turn && (RANK[u.speaker] ?? 3) > (RANK[speaker] ?? 3)),
  );
  return after < 0 ? [...list, made] : list.toSpliced(after, 0, made);
}

/** Puts a segment in its place; the same index again replaces it. */
export function withSegment(old: Utterance, segment: Segment): Utterance {
  const others = old.segments.filter((s) => s.index !== segment.index);
  const segments = [...others, segment].sort((a, b) => a.index - b.index);
  return { ...old, segments, text: segments.map((s) => s.text).join(" "), interim: false };
}
