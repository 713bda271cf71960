// The stages of a turn: names for people, colours, and the layout of a waterfall row.

import type { TurnLatency } from "../api/types";

/** In the order in which they lie on the clock. `token` names a colour in styles.css. */
export const STAGES = [
  { id: "endpointing", label: "Turn end", token: "stage-1" },
  { id: "stt_final", label: "Words", token: "stage-2" },
  { id: "guard", label: "Guard", token: "stage-3" },
  { id: "retrieval", label: "Look-up", token: "stage-4" },
  { id: "orchestrator", label: "Routing", token: "stage-5" },
  { id: "llm_first_token", label: "First token", token: "stage-6" },
  { id: "first_clause", label: "First clause", token: "stage-7" },
  { id: "rules", label: "Rules", token: "stage-8" },
  { id: "tts_first_byte", label: "Voice", token: "stage-9" },
  { id: "pacing", label: "Send", token: "stage-10" },
] as const;

/** No caller should hear more silence than this. */
export const BUDGET_MS = 1000;

export interface Slice {
  id: string;
  label: string;
  token: string;
  ms: number;
}

/** Slices in order, unattributed time last. Stages of no length are left out; stages of a newer gateway are kept. */
export function slices(latency: TurnLatency): Slice[] {
  const byId = new Map(latency.stages.map((s) => [s.stage, s.ms]));
  const known = STAGES.map((s) => ({ id: s.id as string, label: s.label as string, token: s.token as string, ms: byId.get(s.id) ?? 0 }));
  const ids = new Set(known.map((s) => s.id));
  const other = latency.stages
    .filter((s) => !ids.has(s.stage))
    .map((s) => ({ id: s.stage, label: s.stage.replaceAll("_", " "), token: "stage-10", ms: s.ms }));
  const rest = { id: "unattributed", label: "Unattributed", token: "stage-rest", ms: latency.unattributed_ms };
  return [...known, ...other, rest].filter((s) => s.ms >= 0.05);
}

/** Full width of the chart in ms: the budget, or the longest turn where that is longer. */
export function chartWidth(turns: readonly TurnLatency[]): number {
  return Math.max(BUDGET_MS * 1.15, ...turns.map((t) => t.total_ms * 1.02));
}

/** Whole milliseconds, but never "0" for what took time. */
export function ms(value: number): string {
  if (value > 0 && value < 1) return "<1";
  return String(Math.round(value));
}
