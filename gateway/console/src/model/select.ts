// Views of the state.

import { attentionRank } from "./attention";
import type { Call, State } from "./state";

/** Live calls, those that need a person first; then by start, oldest first, so that rows do not jump about. */
export function liveCalls(state: State): Call[] {
  return Object.values(state.calls)
    .filter((c) => c.facts.state === "live")
    .sort(
      (a, b) =>
        attentionRank(a.facts.attention) - attentionRank(b.facts.attention) ||
        a.facts.started_at.localeCompare(b.facts.started_at),
    );
}

/** Ended calls, newest first. */
export function recentCalls(state: State): Call[] {
  return Object.values(state.calls)
    .filter((c) => c.facts.state === "ended")
    .sort((a, b) => b.facts.started_at.localeCompare(a.facts.started_at));
}

/** Median and worst of the turns' times; null while there are none. */
export function latencySummary(call: Call): { median: number; worst: number; turns: number } | null {
  const times = call.latency.map((l) => l.total_ms).sort((a, b) => a - b);
  const worst = times.at(-1);
  if (worst === undefined) return null;
  const mid = times.length >> 1;
  const median = times.length % 2 === 1 ? times[mid]! : (times[mid - 1]! + times[mid]!) / 2;
  return { median, worst, turns: times.length };
}
