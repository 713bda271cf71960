import { describe, expect, it } from "vitest";

import { standing, standingText, withPause } from "./recording";
import { emptyState, newCall, unknownFacts } from "./state";

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
