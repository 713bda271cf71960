import { describe, expect, it } from "vitest";

import { chartWidth, ms, slices } from "./stages";

const base = { turn: 1, total_ms: 420, unattributed_ms: 10, filler: false, speculative: false };

describe("slices", () => {
  it("orders stages by the clock, keeps unknown ones and puts unattributed time last", () => {
    const row = slices({
      ...base,
      stages: [{ stage: "pacing", ms: 8 }, { stage: "new_thing", ms: 2 }, { stage: "endpointing", ms: 400 }, { stage: "guard", ms: 0 }],
    });
    expect(row.map((s) => s.id)).toEqual(["endpointing", "pacing", "new_thing", "unattributed"]);
    expect(row.reduce((sum, s) => sum + s.ms, 0)).toBe(420);
  });
});

it("keeps the budget in view, and the longest turn", () => {
  expect(chartWidth([])).toBeGreaterThan(1000);
  expect(chartWidth([{ ...base, stages: [], total_ms: 4000 }])).toBeGreaterThan(4000);
});

it("never rounds spent time to nothing", () => {
  expect([ms(0), ms(0.3), ms(1.4), ms(310.6)]).toEqual(["0", "<1", "1", "311"]);
});
