// Calls that show every feature of the screens: for screenshots and for looking by hand.

import { workItem } from "./calls.mjs";

const STAGES = { endpointing: 310, stt_final: 0, guard: 0.4, retrieval: 6, orchestrator: 3, llm_first_token: 120, first_clause: 60, rules: 0.6, tts_first_byte: 95, pacing: 12 };

export function exampleCalls(mock) {
  const { calls } = mock;
  const ago = (minutes) => new Date(Date.now() - minutes * 60_000);

  const old = calls.start({ from: "⟨phone:4⟩", startedAt: ago(52) });
  old.say(0, 0, "Riverbend County. How can I help?", "notice");
  old.heard(0, "Riverbend County. How can I help?");
  old.final(1, "What are the opening hours of the permit office?");
  old.say(1, 0, "The permit office is open Monday to Friday, eight to four thirty.");
  old.heard(1, "The permit office is open Monday to Friday, eight to four thirty.");
  old.measure(1, STAGES, { speculative: true });
  old.end("caller_hung_up");
  old.item.ended_at = ago(51).toISOString();

  const booking = calls.start({ from: "⟨phone:3⟩", startedAt: ago(23) });
  booking.final(1, "I need an electrical inspection at my place next week.");
  booking.say(1, 0, "Tuesday at nine is free. Shall I book it?");
  booking.takeDown("inspection", "Electrical inspection, Tuesday 9:00", "RB-INS-2041", [{ name: "address", value: "⟨address:1⟩" }, { name: "slot", value: "Tuesday 9:00" }]);
  booking.end("agent_hung_up");
  booking.item.ended_at = ago(20).toISOString();

  const urgent = calls.start({ from: "⟨phone:2⟩", startedAt: ago(1) });
  urgent.say(0, 0, "Riverbend County. How can I help?", "notice");
  urgent.final(1, "There is a smell of gas in the basement of the school.");
  urgent.attention("urgent", "emergency");
  urgent.say(1, 0, "Please leave the building now and call 911 from outside.", "notice");

  const live = calls.start({ startedAt: ago(2.4) });
  live.say(0, 0, "Riverbend County. This call may be recorded. How can I help?", "notice");
  live.heard(0, "Riverbend County. This call may be recorded. How can I help?");
  live.final(1, "The street light in front of my house has been out for a week now.");
  live.measure(1, STAGES, { unattributed_ms: 4.2, speculative: true });
  live.say(1, 0, "I am sorry to hear that.");
  live.say(1, 1, "I can take that down for the road crew. Which street is it, and what is the nearest house number?");
  live.interrupt(1, "I am sorry to hear that. I can take that down for the road");
  live.final(2, "It is on Oak Street, right by number forty-one.");
  live.measure(2, { ...STAGES, endpointing: 420, retrieval: 240, llm_first_token: 330, tts_first_byte: 130 }, { unattributed_ms: 38, filler: true });
  live.tool(2, "find_address");
  live.say(2, 0, "One moment.", "filler");
  live.say(2, 1, "Oak Street, near number 41. Your reference is R B 2 0 4 2. Can we call you back at ⟨phone:1⟩?");
  live.heard(2, "One moment. Oak Street, near number 41. Your reference is R B 2 0 4 2. Can we call you back at ⟨phone:1⟩?");
  live.tool(2, "file_report");
  live.tool(2, "send_text", false);
  live.emit("call.dtmf", { turn: 2, digits: "1" });
  live.emit("call.provider", { provider: "local speech to text", state: "recovered", reason: "slow for two seconds" });
  live.attention("watch", "distress");
  live.takeDown("incident", "Street light out on Oak Street", "RB-2042", [
    { name: "location", value: "⟨address:1⟩" },
    { name: "since", value: "one week" },
    { name: "call_back", value: "⟨phone:1⟩" },
  ]);
  live.interim(3, "yes that number is fine and could you also");
  calls.workItems.push(
    workItem(old.id, "escalation", "claim denial", "RB-ESC-17", [{ name: "reason", value: "claim denial" }, { name: "name", value: "⟨name:1⟩" }, { name: "phone", value: "⟨phone:1⟩" }], { at: ago(300), hours: 4 }),
    workItem(urgent.id, "incident", "incident", "RB-2043", [{ name: "what", value: "smell of gas in a basement" }, { name: "where", value: "⟨address:1⟩" }, { name: "incomplete", value: true }], { at: ago(1), priority: "urgent", hours: 0.17 }),
  );
  return { live, urgent, booking, old };
}
