import { describe, expect, it } from "vitest";

import type { CallEvent, EventBodies, EventName } from "../api/types";
import { controlText, holderText, whisperText } from "./control";
import { reduceEvent } from "./reduce";
import { emptyState } from "./state";

const at = "2026-01-01T00:00:00Z";
const event = <N extends EventName>(id: string, name: N, body: EventBodies[N]): CallEvent =>
  ({ name, data: { version: 1, event_id: id, call_id: "c1", at, ...body } }) as CallEvent;

describe("who has a call", () => {
  it("is said to whoever reads it", () => {
    const pat = { by: "pat", role: "supervisor", since: at };
    expect(holderText(null, "pat")).toBe("The agent has the call.");
    expect(holderText(pat, "pat")).toBe("You have the call.");
    expect(holderText(pat, "bo")).toBe("pat has the call.");
  });

  it("follows the events, each told once", () => {
    const events = [
      event("1", "call.control", { holder: "person", by: "pat", reason: "taken_over" }),
      event("2", "call.control", { holder: "person", by: "pat", reason: "speaking" }),
    ];
    const held = [...events, ...events].reduce(reduceEvent, emptyState).calls["c1"]!;
    expect(held.facts.controlled_by?.by).toBe("pat");
    expect(held.notices.map((n) => n.text)).toEqual(["pat took the call"]);
    const back = reduceEvent({ ...emptyState, calls: { c1: held } }, event("3", "call.control", { holder: "agent", by: "pat", reason: "lost" }));
    expect(back.calls["c1"]!.facts.controlled_by).toBeNull();
    expect(controlText("pat", "lost")).toContain("the agent has the call");
  });

  it("shows what the agent asks until somebody answers", () => {
    const asked = reduceEvent(emptyState, event("1", "call.question_asked", { question_id: 3, text: "Is the pool heated?", within_s: 60 }));
    expect(asked.calls["c1"]!.question).toMatchObject({ id: 3, text: "Is the pool heated?" });
    const other = reduceEvent(asked, event("2", "call.question_closed", { question_id: 2, by: null }));
    expect(other.calls["c1"]!.question?.id).toBe(3);
    const answered = reduceEvent(other, event("3", "call.question_closed", { question_id: 3, by: "pat" }));
    expect(answered.calls["c1"]!.question).toBeNull();
    expect(answered.calls["c1"]!.notices.map((n) => n.text)).toContain("pat answered the agent");
  });

  it("shows where a caller waits until they wait no more", () => {
    const held = reduceEvent(emptyState, event("1", "call.control", { holder: "agent", by: "", reason: "held" }));
    const waits = reduceEvent(held, event("2", "call.in_line", { target: "the clerk's office", place: 2 }));
    expect(waits.calls["c1"]!.facts.in_line).toEqual({ target: "the clerk's office", place: 2 });
    const done = reduceEvent(waits, event("3", "call.control", { holder: "agent", by: "", reason: "held_no_more" }));
    expect(done.calls["c1"]!.facts.in_line).toBeNull();
  });

  it("tells what was whispered, and what was said for a person", () => {
    expect(whisperText("pat", "Be brief.", "next")).toBe("pat told the agent: Be brief.");
    expect(whisperText("pat", "Be brief.", "withdrawn")).toBe("pat told the agent: Be brief. (until withdrawn)");
    expect(whisperText("pat", "We are closed.", "said")).toBe("pat had it say: We are closed.");
  });
});
