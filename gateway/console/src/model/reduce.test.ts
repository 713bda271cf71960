import { describe, expect, it } from "vitest";

import type { CallEvent, EventBodies, EventName } from "../api/types";
import { mergeCalls, mergeInterventions, mergeLatency, mergeTranscript } from "./merge";
import { reduceEvent } from "./reduce";
import { liveCalls, latencySummary, recentCalls } from "./select";
import { emptyState, newCall, unknownFacts, type Call, type State } from "./state";

let serial = 0;
function event<N extends EventName>(name: N, body: EventBodies[N], call = "c1"): CallEvent {
  serial += 1;
  const at = new Date(1_700_000_000_000 + serial * 1000).toISOString();
  return { name, data: { version: 1, event_id: `e${serial}`, call_id: call, at, ...body } } as CallEvent;
}
const run = (events: CallEvent[], from: State = emptyState): State => events.reduce(reduceEvent, from);
const call = (state: State): Call => state.calls["c1"]!;

const started = () =>
  event("call.started", { line: "+12025550100", from: "⟨phone:1⟩", direction: "inbound", language: "en", carrier_sid: "CA1" });
const interim = (text: string, turn = 1) => event("call.turn.interim", { turn, speaker: "caller", text });
const final = (text: string, turn = 1) => event("call.turn.final", { turn, speaker: "caller", text });
const segment = (index: number, text: string, turn = 1) =>
  event("call.reply.segment", { turn, segment: index, speaker: "agent", text, segment_kind: "reply" });

describe("reduceEvent", () => {
  it("forgets a pause when the caller is told anew: another stream may be recorded, which nobody paused", () => {
    const before = run([started()]);
    const paused = { ...before, calls: { c1: { ...call(before), pause: { paused: true, by: "ana" } } } };
    const told = event("call.consent", { turn: 0, consented: "told" });
    expect(call(run([told], paused))).toMatchObject({ pause: null, consentAt: told.data.at });
  });

  it("opens a live call with its facts", () => {
    const state = run([started()]);
    expect(call(state).facts).toMatchObject({ state: "live", line: "+12025550100", from: "⟨phone:1⟩", carrier_sid: "CA1" });
    expect(call(state).stub).toBe(false);
  });

  it("replaces interim text in place and then by the final", () => {
    const state = run([started(), interim("the street"), interim("the street light"), final("The street light is out.")]);
    expect(call(state).utterances).toHaveLength(1);
    expect(call(state).utterances[0]).toMatchObject({ text: "The street light is out.", interim: false });
  });

  it("does not let a late interim undo a final", () => {
    const state = run([final("Done."), interim("do")]);
    expect(call(state).utterances[0]).toMatchObject({ text: "Done.", interim: false });
  });

  it("puts a final again in place of the earlier one: the caller went on", () => {
    expect(call(run([final("It is"), final("It is on Oak Street.")])).utterances[0]?.text).toBe("It is on Oak Street.");
  });

  it("adds a person's next sentence to their turn, under their name, and each once", () => {
    const said = (text: string) => event("call.turn.final", { turn: 1, speaker: "supervisor", text, by: "pat" });
    const saying = (text: string) => event("call.turn.interim", { turn: 1, speaker: "supervisor", text });
    const hello = said("Hello, this is Pat.");
    const speaking = run([saying("Hello"), hello, hello, saying("How can")]);
    expect(call(speaking).utterances[0]).toMatchObject({ text: "Hello, this is Pat. How can", by: "pat", interim: true });
    const spoken = run([said("How can I help?")], speaking);
    expect(call(spoken).utterances[0]).toMatchObject({ text: "Hello, this is Pat. How can I help?", interim: false });
  });

  it("keeps caller before agent within a turn, and turns in order, whatever came first", () => {
    const state = run([segment(0, "Hello.", 2), segment(0, "Hi.", 1), final("first", 1), final("second", 2)]);
    expect(call(state).utterances.map((u) => `${u.turn}${u.speaker}`)).toEqual(["1caller", "1agent", "2caller", "2agent"]);
  });

  it("joins segments in their order and keeps their kind", () => {
    const state = run([segment(1, "Where is it?"), segment(0, "I can help.")]);
    expect(call(state).utterances[0]?.text).toBe("I can help. Where is it?");
  });

  it("follows what the call costs and which language it is in", () => {
    const state = run([
      started(),
      event("call.cost", { turn: 1, turn_usd: 0.004, call_usd: 0.012, wasted_usd: 0.001, wasted_tokens: 90 }),
      event("call.language", { turn: 1, language: "es" }),
    ]);
    expect(call(state).facts).toMatchObject({ cost_usd: 0.012, language: "es" });
    expect(call(state).notices.map((n) => n.text)).toEqual(["The call goes on in Spanish"]);
  });

  it("takes a sentence of the greeting in another language for no change of the call's", () => {
    const language = (turn: number, language: string) => event("call.language", { turn, language });
    const notices = (...events: ReturnType<typeof event>[]) => call(run([started(), ...events])).notices.map((n) => n.text);
    expect(notices(language(0, "es"), language(0, "en"))).toEqual([]);
    // The sentence came last: the first reply goes back.
    expect(notices(language(0, "es"), language(1, "en"))).toEqual([]);
    expect(notices(language(0, "es"), language(0, "en"), language(2, "es"), language(4, "en"))).toEqual([
      "The call goes on in Spanish",
      "The call goes on in English",
    ]);
    expect(call(run([started(), language(0, "es")])).facts.language).toBe("es");
  });

  it("says in words what happened to a provider", () => {
    const state = run([
      event("call.provider", { provider: "deepgram", state: "failed", reason: "stalled: no message for 1.5 s" }),
      event("call.provider", { provider: "local", state: "took_over", reason: "" }),
    ]);
    expect(call(state).notices.map((n) => n.text)).toEqual([
      "deepgram failed (stalled: no message for 1.5 s)",
      "local took over",
    ]);
  });

  it("notes once, in plain words, that the guard or a rule stepped in", () => {
    const guard = event("call.guard", { turn: 1, channel: "voice", kind: "instruction_override", severity: "high" });
    const ruled = (action: string, applies_to: string) =>
      event("call.rule", { turn: 1, rule: "no-legal-advice", category: "legal", action, applies_to });
    const state = run([guard, guard, ruled("BLOCK", "words"), ruled("REQUIRE_HUMAN", "tool"), ruled("WARN", "reply")]);
    expect(call(state).interventions.map((i) => `${i.turn} ${i.by}: ${i.text}`)).toEqual([
      "1 guard: Suspicious instruction ignored",
      "1 rule: A rule stopped a sentence: no-legal-advice",
      "1 rule: A rule asks a person about an action: no-legal-advice",
      "1 rule: A rule warned of a reply: no-legal-advice",
    ]);
    expect(call(state).notices).toHaveLength(0);
  });

  it("marks what was not heard when a reply is interrupted", () => {
    const state = run([
      segment(0, "I can take that down."),
      event("call.interrupted", { turn: 1, heard: { turn: 1, text: "I can", complete: false, estimated: true } }),
    ]);
    expect(call(state).utterances[0]).toMatchObject({ heard: "I can", cut: true, interrupted: true, estimated: true });
  });

  it("takes the interruption's word for what was heard, also when a segment reports later", () => {
    const state = run([
      segment(0, "I can take that down."),
      event("call.interrupted", { turn: 1, heard: { turn: 1, text: "I can", complete: false, estimated: false } }),
      event("call.reply.heard", { turn: 1, state: "partly_heard", heard_text: "I can", estimated: false }),
    ]);
    expect(call(state).utterances[0]).toMatchObject({ heard: "I can", cut: true });
  });

  it("keeps the segments when the agent's whole reply follows as a final", () => {
    const state = run([segment(0, "One."), segment(1, "Two."), event("call.turn.final", { turn: 1, speaker: "agent", text: "One. Two." })]);
    expect(call(state).utterances).toHaveLength(1);
    expect(call(state).utterances[0]?.segments).toHaveLength(2);
  });

  it("adds up heard reports of several segments without calling the rest cut", () => {
    const state = run([
      segment(0, "One."),
      segment(1, "Two."),
      event("call.reply.heard", { turn: 1, state: "heard", heard_text: "One.", estimated: false }),
    ]);
    expect(call(state).utterances[0]).toMatchObject({ heard: "One.", cut: false });
    const dropped = run([event("call.reply.heard", { turn: 1, state: "dropped", heard_text: "", estimated: false })], state);
    expect(call(dropped).utterances[0]).toMatchObject({ heard: "One.", cut: true });
  });

  it("keeps one waterfall per turn, the newest", () => {
    const latency = (turn: number, total_ms: number) =>
      event("call.latency", { latency: { turn, total_ms, stages: [], unattributed_ms: 0, filler: false, speculative: false } });
    const state = run([latency(2, 700), latency(1, 600), latency(2, 650)]);
    expect(call(state).latency.map((l) => [l.turn, l.total_ms])).toEqual([[1, 600], [2, 650]]);
    expect(latencySummary(call(state))).toEqual({ median: 625, worst: 650, turns: 2 });
  });

  it("ends a call, closing any open interim", () => {
    const state = run([started(), interim("and I"), event("call.ended", { reason: "caller_hung_up", duration_ms: 4000 })]);
    expect(call(state).facts).toMatchObject({ state: "ended", end_reason: "caller_hung_up" });
    expect(call(state).utterances[0]?.interim).toBe(false);
    expect(liveCalls(state)).toHaveLength(0);
    expect(recentCalls(state)).toHaveLength(1);
  });

  it("raises and clears attention with its reason", () => {
    const up = run([event("call.attention", { level: "urgent", reason: "emergency" })]);
    expect(call(up).facts.attention).toBe("urgent");
    expect(call(up).notices[0]?.text).toBe("Tells of an emergency");
    const down = run([event("call.attention", { level: "none", reason: "" })], up);
    expect(call(down).facts.attention).toBe("none");
  });

  it("marks a call known only from the middle as a stub", () => {
    expect(call(run([interim("hello")])).stub).toBe(true);
  });

  it("takes note of a changed request that no call belongs to", () => {
    const body = { version: 1, event_id: "e", at: "2026-01-01T00:00:00Z", escalation_id: "x", status: "done" };
    const next = reduceEvent(emptyState, { name: "escalation.updated", data: body } as unknown as CallEvent);
    expect(next.workRevision).toBe(1);
    expect(Object.keys(next.calls)).toEqual([]);
  });

  it("puts no old call on the screen because its passport was looked at again", () => {
    const body = { version: 1, event_id: "e", call_id: "old", at: "2026-01-01T00:00:00Z", passport_id: "p", status: "completed" };
    const next = reduceEvent(emptyState, { name: "passport.updated", data: body } as unknown as CallEvent);
    expect([next.workRevision, Object.keys(next.calls)]).toEqual([1, []]);
  });

  it("ignores names it does not know, even those of Object", () => {
    const odd = { name: "toString", data: started().data } as unknown as CallEvent;
    expect(reduceEvent(emptyState, odd)).toBe(emptyState);
  });

  it("counts a repeated notice once when a feed resumes", () => {
    const keys = event("call.dtmf", { turn: 1, digits: "0" });
    expect(call(run([keys, keys])).notices).toHaveLength(1);
  });

  it("adds to what was heard before a cut the sentence that was said after it, and nothing of the cut reply", () => {
    const heard = (text: string) => event("call.reply.heard", { turn: 1, state: "heard", heard_text: text, estimated: false });
    const cut = event("call.interrupted", { turn: 1, heard: { text: "I can", complete: false, estimated: false } } as EventBodies["call.interrupted"]);
    const late = run([started(), segment(0, "I can take that down."), cut, heard("I can"), segment(1, "You are now speaking with our staff."), heard("You are now speaking with our staff.")]);
    expect(call(late).utterances[0]).toMatchObject({ heard: "I can You are now speaking with our staff.", cut: true, interrupted: true });
  });

  it("never changes the state it was given", () => {
    const before = run([started(), segment(0, "One.")]);
    const copy = structuredClone(before);
    run([segment(1, "Two."), final("x"), event("call.ended", { reason: "busy", duration_ms: 1 })], before);
    expect(before).toEqual(copy);
  });
});

describe("merge", () => {
  const item = { ...unknownFacts("c1", "2026-01-01T00:00:00Z"), line: "+12025550100" };

  it("does not bring an ended call back to life from a stale list", () => {
    const ended = run([started(), event("call.ended", { reason: "caller_hung_up", duration_ms: 1 })]);
    expect(call(mergeCalls(ended, [item])).facts.state).toBe("ended");
  });

  it("leaves nothing open of a call whose gateway died before it could tell the end", () => {
    const asked = event("call.question_asked", { question_id: 1, text: "Is it heated?", within_s: 60 });
    const midst = run([started(), interim("is it"), asked]);
    const ended = call(mergeCalls(midst, [{ ...item, state: "ended" as const, end_reason: "interrupted" }]));
    expect(ended).toMatchObject({ question: null, askedFor: null, facts: { state: "ended", end_reason: "interrupted" } });
    expect(ended.utterances.map(({ text, interim: goesOn }) => [text, goesOn])).toEqual([["is it", false]]);
    expect(call(mergeCalls(midst, [item])).question).not.toBeNull();
  });

  it("fills a stub from the list", () => {
    const state = mergeCalls(run([interim("hello")]), [item]);
    expect(call(state)).toMatchObject({ stub: false, facts: { line: "+12025550100" } });
    expect(call(state).utterances).toHaveLength(1);
  });

  it("lays live events over a stored transcript and keeps earlier turns", () => {
    const stored = (turn: number, text: string) => ({
      turn, speaker: "caller" as const, text, started_at: "t0", ended_at: "t1", interrupted: false,
    });
    const live = mergeTranscript(run([started(), interim("and now", 2)]), "c1", [stored(1, "First."), stored(2, "and")]);
    expect(call(live).utterances.map((u) => u.text)).toEqual(["First.", "and now"]);
  });

  it("shows the stored cut of an interrupted reply", () => {
    const base = { calls: { c1: newCall({ ...item, state: "ended" as const }) }, listed: true, workRevision: 0, alarms: {} };
    const state = mergeTranscript(base, "c1", [
      { turn: 1, speaker: "agent", text: "I can take that down.", started_at: "t", ended_at: "t", interrupted: true, heard_text: "I can" },
    ]);
    expect(call(state).utterances[0]).toMatchObject({ heard: "I can", cut: true, interrupted: true });
  });

  it("shows where guard and rules stepped in of a call that is over, and nothing twice", () => {
    const base = { calls: { c1: newCall({ ...item, state: "ended" as const }) }, listed: true, workRevision: 0, alarms: {} };
    const stored = [
      { id: "a1", turn: 1, at: "t", by: "guard" as const, kind: "instruction_override", severity: "high" },
      { id: "a2", turn: 2, at: "t", by: "rule" as const, rule: "locked-amounts", action: "BLOCK", applies_to: "words" },
    ];
    const shown = mergeInterventions(base, "c1", stored);
    expect(call(shown).interventions.map((i) => `${i.turn} ${i.text}`)).toEqual([
      "1 Suspicious instruction ignored",
      "2 A rule stopped a sentence: locked-amounts",
    ]);
    expect(call(mergeInterventions(shown, "c1", stored)).interventions).toHaveLength(2);
    expect(call(mergeInterventions(shown, "c1", stored.slice(0, 1))).interventions).toHaveLength(2);
  });

  it("shows a note once that came with the record first and as an event after it, and the other way round", () => {
    const rule = event("call.rule", { turn: 2, rule: "locked-amounts", category: "financial", action: "BLOCK", applies_to: "words" });
    const later = event("call.rule", { turn: 3, rule: "no-promises", category: "legal", action: "BLOCK", applies_to: "words" });
    const stored = [
      { id: "e0", turn: 1, at: "t", by: "guard" as const, kind: "instruction_override", severity: "high" },
      { id: rule.data.event_id, turn: 2, at: "t", by: "rule" as const, rule: "locked-amounts", action: "BLOCK", applies_to: "words" },
    ];
    const once = [["guard", 1], ["rule", 2], ["rule", 3]];
    const shown = (state: State) => call(state).interventions.map((i) => [i.by, i.turn]);
    const record = mergeInterventions(run([started()]), "c1", stored);
    expect(shown([rule, later].reduce(reduceEvent, record))).toEqual(once);
    expect(shown(mergeInterventions(run([started(), rule, later]), "c1", stored))).toEqual(once);
  });

  it("keeps a live waterfall over the stored one of the same turn", () => {
    const row = (turn: number, total_ms: number) => ({ turn, total_ms, stages: [], unattributed_ms: 0, filler: false, speculative: false });
    const state = run([event("call.latency", { latency: row(1, 500) })]);
    expect(call(mergeLatency(state, "c1", [row(0, 100), row(1, 499)])).latency.map((l) => l.total_ms)).toEqual([100, 500]);
  });
});
