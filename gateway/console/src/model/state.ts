// What the console knows. Plain data; everything that changes it is in reduce.ts and merge.ts.

import type { CallItem, SegmentKind, Speaker, TurnLatency } from "../api/types";
import type { Pause } from "./recording";

/** One side's words in one turn. Key of the pair (turn, speaker): a final takes the place of its interims. */
export interface Utterance {
  turn: number;
  speaker: Speaker;
  /** Which person of the office, where one speaks. */
  by?: string;
  text: string;
  /** What of it is final, where more may follow in the same turn: a person goes on while the caller only listens. */
  settled?: string;
  /** Still being recognised: the text may change. */
  interim: boolean;
  /** Parts of a reply, in order. Empty for a caller, and for words read from a stored transcript. */
  segments: Segment[];
  /** The words the caller really heard, as far as reported. */
  heard: string;
  /** The reply was cut short: words after `heard` never reached the caller. */
  cut: boolean;
  interrupted: boolean;
  /** Segments that there were when it was interrupted: what comes behind them is said after the cut. */
  segmentsAtCut?: number;
  /** Where the cut fell is an estimate. */
  estimated: boolean;
  startedAt: string;
  endedAt: string | null;
}
export interface Segment {
  index: number;
  text: string;
  kind: SegmentKind;
}

export interface ToolUse {
  turn: number;
  tool: string;
  ok: boolean;
  at: string;
}
/** Something a supervisor may want to know that nobody said aloud. */
export interface Notice {
  id: string;
  at: string;
  kind: "keys" | "provider" | "language" | "attention" | "person";
  text: string;
}

/** The guard or a rule stepped in: shown where it happened among the words. */
export interface Intervention {
  id: string;
  turn: number;
  at: string;
  by: "guard" | "rule";
  text: string;
}

export interface Call {
  facts: CallItem;
  /** Known only from events in mid-call: the facts must still be asked for. */
  stub: boolean;
  attentionReason: string;
  /** The language that people were last told of, which the voice may leave for a sentence. Empty: that of the facts. */
  goesOnIn: string;
  utterances: Utterance[];
  latency: TurnLatency[];
  tools: ToolUse[];
  notices: Notice[];
  interventions: Intervention[];
  passport: { id: string; version: number; status: string } | null;
  /** What the agent asks people of the office now, and until when the caller waits. */
  question: { id: number; text: string; until: string } | null;
  /** Somebody asks whoever has the call for it. */
  askedFor: { by: string; of: string; until: string } | null;
  /** When the caller was last told, or said, something about being recorded, while this page was open. */
  consentAt: string;
  /** Whether its recording is paused, where that is known. */
  pause: Pause | null;
}

/** A request that cannot wait and that nobody has taken on. */
export interface WorkAlarm {
  id: string;
  reference: string;
  /** How often people were told. */
  alarms: number;
  since: string;
}

export interface State {
  calls: Readonly<Record<string, Call>>;
  /** The first list has come, so "no calls" is a fact and not a wait. */
  listed: boolean;
  /** Grows when a work item may have changed, so the list can reload. */
  workRevision: number;
  /** By the id of the request. */
  alarms: Readonly<Record<string, WorkAlarm>>;
}

export const emptyState: State = { calls: {}, listed: false, workRevision: 0, alarms: {} };

/** Of a call that is over nothing is open any more: nobody is being recognized, asked, or waited for. */
export const closed = (call: Call): Call => ({
  ...call,
  question: null,
  askedFor: null,
  facts: { ...call.facts, in_line: null },
  utterances: call.utterances.map((u) => (u.interim ? { ...u, interim: false } : u)),
});

export function newCall(facts: CallItem, stub = false): Call {
  return {
    facts,
    stub,
    attentionReason: "",
    goesOnIn: "",
    utterances: [],
    latency: [],
    tools: [],
    notices: [],
    interventions: [],
    question: null,
    askedFor: null,
    consentAt: "",
    pause: null,
    passport: facts.passport_id ? { id: facts.passport_id, version: 0, status: "" } : null,
  };
}

/** Facts of a call of which only an event is known. */
export function unknownFacts(id: string, at: string): CallItem {
  return {
    id,
    carrier_sid: "",
    line: "",
    from: null,
    direction: "inbound",
    state: "live",
    started_at: at,
    ended_at: null,
    passport_id: null,
    language: "",
    turns: 0,
    cost_usd: 0,
    attention: "none",
  };
}
