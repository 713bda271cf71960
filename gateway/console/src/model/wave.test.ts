import { describe, expect, it } from "vitest";

import type { Utterance } from "./state";
import { bars, spokenAt } from "./wave";

const said = (turn: number, speaker: "caller" | "agent", seconds: number): Utterance => ({
  turn,
  speaker,
  text: "",
  interim: false,
  segments: [],
  heard: "",
  cut: false,
  interrupted: false,
  estimated: false,
  startedAt: new Date(Date.UTC(2026, 0, 1, 12, 0, seconds)).toISOString(),
  endedAt: null,
});

describe("bars", () => {
  it("keeps the loudest moment of each stretch and never more than there is room for", () => {
    expect(bars([0, 255, 0, 0], 2)).toEqual([1, 0]);
    expect(bars([255, 0], 10)).toEqual([1, 0]);
    expect(bars([], 10)).toEqual([]);
  });
});

describe("spokenAt", () => {
  const start = new Date(Date.UTC(2026, 0, 1, 12)).toISOString();
  const words = [said(0, "agent", 0), said(1, "caller", 5), said(1, "agent", 8)];
  it("finds the words that began last, by the call's time", () => {
    expect(spokenAt(words, start, 2_000, 1_000)).toBe("0/agent");
    expect(spokenAt(words, start, 2_000, 4_000)).toBe("1/caller");
    expect(spokenAt(words, start, 2_000, 60_000)).toBe("1/agent");
    expect(spokenAt([said(1, "caller", 5)], start, 0, 1_000)).toBe("");
  });
});
