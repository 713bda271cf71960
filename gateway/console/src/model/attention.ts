// Who needs a person, and whether one has looked. Pure.

import type { Attention } from "../api/types";
import { words } from "./format";
import type { Call, State } from "./state";

const REASONS: Record<string, string> = {
  emergency: "Tells of an emergency",
  distress: "The caller is upset",
  misunderstood: "Not understood twice in a row",
  person_asked: "Asks for a person",
  silence: "The caller has gone silent",
  rule: "A rule stepped in",
  guard: "Suspicious instruction ignored",
  provider_failing: "Speech or language service is failing",
};

/** Why a call needs a person, in words; where only the level is known, that. Nothing where none is needed. */
export function attentionText(level: Attention, reason: string): string {
  if (level === "none") return "";
  if (reason === "") return level === "urgent" ? "Needs a person now" : "Worth a look";
  return REASONS[reason] ?? words(reason);
}

export const attentionRank = (level: Attention): number => ({ urgent: 0, watch: 1, none: 2 })[level] ?? 2;

/** What looking at a call settles: a call that gets worse must be looked at again. */
export const lookKey = (call: Call): string => `${call.facts.id}/${call.facts.attention}`;

/** Calls that need a person and that nobody here has looked at, the most pressing first. */
export function unlooked(state: State, looked: ReadonlySet<string>): Call[] {
  return Object.values(state.calls)
    .filter((call) => isPressing(call) && !looked.has(lookKey(call)))
    .sort((a, b) => attentionRank(a.facts.attention) - attentionRank(b.facts.attention) || a.facts.started_at.localeCompare(b.facts.started_at));
}

/** A caller who told of an emergency and hung up still needs somebody; whoever was merely upset is gone. */
const isPressing = (call: Call): boolean =>
  call.facts.attention !== "none" && (call.facts.state === "live" || (call.facts.attention === "urgent" && call.attentionReason !== ""));

/** The page's title with a sign before it while somebody waits to be looked at, or a request for somebody. */
export function titled(title: string, waiting: readonly Call[], alarms = 0): string {
  const count = waiting.length + alarms;
  if (count === 0) return title;
  const urgent = alarms > 0 || waiting.some((call) => call.facts.attention === "urgent");
  return `${urgent ? "⚠ " : ""}(${count}) ${title}`;
}
