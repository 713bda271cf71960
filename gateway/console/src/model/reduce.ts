// Live events to state. Pure: no clock, no network, so every case has a test.

import type { CallEvent, EventName, FeedEvent, WorkEvent } from "../api/types";
import { controlText, whisperText } from "./control";
import { withAlarm, withoutAlarm } from "./alarms";
import { attentionText } from "./attention";
import { GUARD_NOTE, languageName, providerNotice, ruleNote } from "./format";
import { isOf, joinHeard } from "./heard";
import { closed, newCall, unknownFacts, type Call, type Intervention, type Notice, type State, type Utterance } from "./state";
import { editUtterance, withSegment } from "./utterances";

/** What the caller was told or said of being recorded. */
const CONSENT = {
  told: "The caller was told that the call may be recorded",
  agreed: "The caller agreed to be recorded",
  refused: "The caller does not want to be recorded",
  withdrawn: "The caller wants no recording any more: it stops and is deleted",
} as const;

const NOTES = {
  told: "The caller was told that notes are taken",
  refused: "The caller wants no notes: none are taken",
  no_room: "There is no room for notes: none are taken",
  began: "Notes are taken",
  withdrawn: "No more notes: one of them wants none",
  ended: "The notes end",
  lost: "The notes broke off",
} as const;

/** Ended calls beyond this many are forgotten; the gateway still has them. */
const KEEP_CALLS = 200;

const joined = (before: string | undefined, text: string): string => (before ? `${before} ${text}` : text);

/** A person's next sentence of the same turn. The same event can come twice when a feed resumes. */
function withMore(old: Utterance, text: string, by: string | undefined): Partial<Utterance> {
  const settled = old.settled?.endsWith(text) ? old.settled : joined(old.settled, text);
  return { text: settled, settled, ...(by !== undefined && { by }) };
}

/** An interruption names the whole prefix that was heard; what adds to it is a sentence that was begun after it. */
function heardAfterCut(old: Utterance, report: string): string {
  const later = old.segments.slice(old.segmentsAtCut ?? old.segments.length);
  return later.some((segment) => isOf(report, segment.text)) ? joined(old.heard || undefined, report) : old.heard;
}

type Apply<N extends EventName> = (call: Call, data: Extract<CallEvent, { name: N }>["data"]) => Call;

const apply: { [N in EventName]: Apply<N> } = {
  "call.started": (call, { at, line, from, direction, language, carrier_sid }) => ({
    ...call,
    stub: false,
    facts: { ...call.facts, line, from, direction, language, carrier_sid, started_at: at },
  }),

  "call.turn.interim": (call, { turn, speaker, text, at }) => ({
    ...call,
    utterances: editUtterance(call.utterances, turn, speaker, at, (old) => {
      if (speaker === "supervisor") return { ...old, text: joined(old.settled, text), interim: true };
      // A late interim must not undo a final; words added after a final arrive as a new final.
      return old.text !== "" && !old.interim ? old : { ...old, text, interim: true };
    }),
  }),

  "call.turn.final": (call, { turn, speaker, text, by, at }) => ({
    ...call,
    facts: { ...call.facts, turns: Math.max(call.facts.turns, turn) },
    utterances: editUtterance(call.utterances, turn, speaker, at, (old) => ({
      ...old,
      ...(speaker === "supervisor" && withMore(old, text, by)),
      ...(speaker !== "supervisor" && { text: old.segments.length > 0 ? old.text : text }),
      interim: false,
      endedAt: at,
    })),
  }),

  "call.reply.segment": (call, { turn, segment, speaker, text, segment_kind, at }) => ({
    ...call,
    utterances: editUtterance(call.utterances, turn, speaker, at, (old) =>
      withSegment(old, { index: segment, text, kind: segment_kind }),
    ),
  }),

  "call.reply.heard": (call, { turn, state, heard_text, estimated, at }) => ({
    ...call,
    utterances: editUtterance(call.utterances, turn, "agent", at, (old) => ({
      ...old,
      heard: old.interrupted ? heardAfterCut(old, heard_text) : joinHeard(old.heard, heard_text),
      cut: old.cut || state !== "heard",
      estimated: old.estimated || estimated,
      endedAt: at,
    })),
  }),

  "call.interrupted": (call, { turn, heard, at }) => ({
    ...call,
    utterances: editUtterance(call.utterances, turn, "agent", at, (old) => ({
      ...old,
      heard: heard.text,
      cut: !heard.complete,
      interrupted: true,
      segmentsAtCut: old.segments.length,
      estimated: heard.estimated,
      endedAt: at,
    })),
  }),

  "call.dtmf": (call, { event_id, digits, at }) =>
    withNotice(call, { id: event_id, at, kind: "keys", text: `Keys pressed: ${digits}` }),

  "call.tool": (call, { turn, tool, ok, at }) => ({ ...call, tools: [...call.tools, { turn, tool, ok, at }] }),

  "call.guard": (call, { event_id, turn, at }) =>
    withIntervention(call, { id: event_id, turn, at, by: "guard", text: GUARD_NOTE }),

  "call.rule": (call, { event_id, turn, rule, action, applies_to, at }) =>
    withIntervention(call, { id: event_id, turn, at, by: "rule", text: ruleNote(rule, action, applies_to) }),

  "call.provider": (call, { event_id, provider, state, reason, at }) =>
    withNotice(call, { id: event_id, at, kind: "provider", text: providerNotice(provider, state, reason) }),

  "call.cost": (call, { call_usd }) => ({ ...call, facts: { ...call.facts, cost_usd: call_usd } }),

  "call.language": (call, { event_id, turn, language, at }) => {
    // A greeting says one sentence in another language and goes back: only the voice changed. What the call is in is told
    // once the caller has spoken, and only where it is not what it was.
    const goesOnIn = call.goesOnIn || call.facts.language;
    const now = { ...call, goesOnIn, facts: { ...call.facts, language } };
    if (turn === 0 || language === goesOnIn) return now;
    return withNotice({ ...now, goesOnIn: language }, { id: event_id, at, kind: "language", text: `The call goes on in ${languageName(language)}` });
  },

  "call.control": (call, { event_id, holder, by, reason, at }) => {
    if (reason === "refused") return call;
    const controlled_by = holder === "person" ? { by, role: call.facts.controlled_by?.by === by ? call.facts.controlled_by.role : "", since: at } : null;
    const known = reason === "speaking" && call.facts.controlled_by?.by === by ? call.facts.controlled_by : controlled_by;
    const in_line = reason === "held" ? (call.facts.in_line ?? null) : null;
    // Whoever has it now was asked nothing yet.
    const askedFor = reason === "speaking" ? call.askedFor : null;
    const now = { ...call, askedFor, facts: { ...call.facts, controlled_by: known, in_line } };
    // That the caller has been told who speaks is no news of its own.
    return reason === "speaking" ? now : withNotice(now, { id: event_id, at, kind: "person", text: controlText(by, reason) });
  },

  "call.control_asked": (call, { event_id, by, of, until, at }) =>
    withNotice({ ...call, askedFor: { by, of, until } }, { id: event_id, at, kind: "person", text: `${by} asks ${of} for the call` }),

  // What is recorded from here on may be of another stream, which nobody has paused.
  "call.consent": (call, { event_id, consented, at }) =>
    withNotice({ ...call, consentAt: at, pause: null }, { id: event_id, at, kind: "person", text: CONSENT[consented] }),

  "call.recording": (call, { event_id, paused, by, at }) =>
    withNotice({ ...call, pause: { paused, by } }, { id: event_id, at, kind: "person", text: `${paused ? "Recording paused" : "Recording resumed"} by ${by}` }),

  "call.notes": (call, { event_id, state, with: target, at }) =>
    withNotice(call, { id: event_id, at, kind: "person", text: `${NOTES[state]} (${target})` }),

  "call.question_asked": (call, { event_id, question_id, text, within_s, at }) =>
    withNotice(
      { ...call, question: { id: question_id, text, until: new Date(Date.parse(at) + within_s * 1000).toISOString() } },
      { id: event_id, at, kind: "person", text: `The agent asks the office: ${text}` },
    ),

  "call.question_closed": (call, { event_id, question_id, by, at }) =>
    withNotice(
      { ...call, question: call.question?.id === question_id ? null : call.question },
      { id: event_id, at, kind: "person", text: by ? `${by} answered the agent` : "Nobody answered the agent" },
    ),

  "call.in_line": (call, { target, place }) => ({ ...call, facts: { ...call.facts, in_line: { target, place } } }),

  "supervisor.whispered": (call, { event_id, by, text, until, at }) =>
    withNotice(call, { id: event_id, at, kind: "person", text: whisperText(by, text, until) }),

  "call.attention": (call, { event_id, level, reason, at }) => {
    const noted = level === "none" ? call : withNotice(call, { id: event_id, at, kind: "attention", text: attentionText(level, reason) });
    return { ...noted, attentionReason: level === "none" ? "" : reason, facts: { ...noted.facts, attention: level } };
  },

  "call.latency": (call, { latency }) => ({
    ...call,
    latency: [...call.latency.filter((l) => l.turn !== latency.turn), latency].sort((a, b) => a.turn - b.turn),
  }),

  "call.ended": (call, { reason, at }) => closed({ ...call, facts: { ...call.facts, state: "ended", ended_at: at, end_reason: reason } }),

  "passport.updated": (call, { passport_id, version, status }) => ({
    ...call,
    facts: { ...call.facts, passport_id },
    passport: { id: passport_id, version, status },
  }),

  "escalation.updated": (call) => call,
};

function withNotice(call: Call, notice: Notice): Call {
  // The same event can come twice when a feed resumes.
  return call.notices.some((n) => n.id === notice.id) ? call : { ...call, notices: [...call.notices, notice] };
}

function withIntervention(call: Call, made: Intervention): Call {
  return call.interventions.some((i) => i.id === made.id) ? call : { ...call, interventions: [...call.interventions, made] };
}

/** Names whose arrival may mean that a request was filed. */
const WORK_EVENTS: readonly string[] = ["passport.updated", "escalation.updated", "call.tool", "call.ended"];

const isOfWork = (event: FeedEvent): event is WorkEvent => event.name === "work_item.updated" || event.name === "work_item.alarm";

/** Somebody changed a request, or nobody took it on: lists load again, and who waits is on every screen. */
function reduceWork(state: State, { name, data }: WorkEvent): State {
  const { work_item_id: id, reference, alarms, at, waiting_since } = data;
  const changed = name === "work_item.alarm" ? withAlarm(state, { id, reference, alarms, since: waiting_since ?? at }) : withoutAlarm(state, id, data);
  return { ...changed, workRevision: state.workRevision + 1 };
}

export function reduceEvent(state: State, event: FeedEvent): State {
  if (isOfWork(event)) return reduceWork(state, event);
  // A newer gateway may send names that this console does not know.
  if (!Object.hasOwn(apply, event.name)) return state;
  const { call_id: id, at } = event.data;
  const workRevision = state.workRevision + (WORK_EVENTS.includes(event.name) ? 1 : 0);
  // A request that people work on may have come from no call.
  if (!id) return { ...state, workRevision };
  const known = state.calls[id];
  // An old call's Passport may be looked at again; that puts the call on nobody's screen.
  if (!known && event.name === "passport.updated") return { ...state, workRevision };
  const call = known ?? newCall(unknownFacts(id, at), event.name !== "call.started");
  const next = (apply[event.name] as Apply<EventName>)(call, event.data);
  const calls = { ...state.calls, [id]: next };
  return {
    ...state,
    calls: known ? calls : prune(calls),
    workRevision,
  };
}

function prune(calls: Record<string, Call>): Record<string, Call> {
  const ids = Object.keys(calls);
  if (ids.length <= KEEP_CALLS) return calls;
  const oldest = ids
    .filter((id) => calls[id]?.facts.state === "ended")
    .sort((a, b) => (calls[a]?.facts.started_at ?? "").localeCompare(calls[b]?.facts.started_at ?? ""));
  const drop = new Set(oldest.slice(0, ids.length - KEEP_CALLS));
  return Object.fromEntries(Object.entries(calls).filter(([id]) => !drop.has(id)));
}
