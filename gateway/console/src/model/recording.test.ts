import { describe, expect, it } from "vitest";

import type { AuditEntry } from "../api/types";
import { pauseOf, standing, standingText, withPause } from "./recording";
import { emptyState, newCall, unknownFacts } from "./state";

let seq = 100;
const entry = (action: string, actor = "ana"): AuditEntry => {
  seq -= 1;
  return { seq, id: `a${seq}`, at: "2026-12-01T03:00:00Z", actor: { kind: "user", id: actor }, action, subject: { kind: "call", id: "c1" }, outcome: "done", details: {} };
};

describe("pauseOf", () => {
  it("believes the newest entry", () => {
    expect(pauseOf([entry("call.listen_started"), entry("recording.paused"), entry("recording.started", "call")], true)).toEqual({ paused: true, by: "ana" });
    expect(pauseOf([entry("recording.resumed", "bo"), entry("recording.paused")], true)).toEqual({ paused: false, by: "bo" });
  });

  it("holds no pause of an earlier stream against a later one", () => {
    expect(pauseOf([entry("recording.started", "call"), entry("recording.paused"), entry("recording.started", "call")], true)).toEqual({ paused: false, by: null });
  });

  it("knows that nobody paused it only from all of the entries", () => {
    expect(pauseOf([entry("call.started")], true)).toEqual({ paused: false, by: null });
    expect(pauseOf([entry("call.whispered")], false)).toBeNull();
  });
});

describe("standing", () => {
  it("says who paused it, and does not claim what is not known", () => {
    const text = (recorded: boolean, pause: Parameters<typeof standing>[1]) => standingText(standing(recorded, pause), "ana");
    expect(text(false, { paused: true, by: "ana" })).toBe("");
    expect(text(true, { paused: false, by: null })).toBe("Recording.");
    expect(text(true, { paused: true, by: "ana" })).toBe("Recording paused by you: silence is kept.");
    expect(text(true, { paused: true, by: "bo" })).toBe("Recording paused by bo: silence is kept.");
    expect(text(true, null)).toBe("Recording, unless somebody paused it.");
  });
});

describe("withPause", () => {
  it("is kept with its call, and changes no other", () => {
    const state = { ...emptyState, calls: { c1: newCall(unknownFacts("c1", "2026-12-01T03:00:00Z")) } };
    expect(withPause(state, "c1", { paused: true, by: "ana" }).calls["c1"]?.pause).toEqual({ paused: true, by: "ana" });
    expect(withPause(state, "c2", { paused: true, by: "ana" })).toBe(state);
  });
});
