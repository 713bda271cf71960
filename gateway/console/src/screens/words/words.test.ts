import { expect, it } from "vitest";

import type { Understanding } from "../../api/types";
import { emergencyRow, partRows, percent, wantRows } from "./rows";

const found = (more: Partial<Understanding> = {}): Understanding => ({
  wants: [{ route: "incident", score: 0.9 }, { route: "question", score: 0.06 }, { route: "none", score: 0.02 }],
  parts: [],
  act: "ask",
  act_score: 0.8,
  emergency: { yes: false, ask: false, score: 0.1 },
  slots: [],
  language: "en",
  nearest: [],
  ...more,
});

it("shows the likeliest want, whatever its score, and others that are not far-fetched", () => {
  expect(wantRows(found()).map((row) => row.label)).toEqual(["incident", "a question for the pages"]);
  expect(wantRows(found({ wants: [{ route: "other_language", score: 0.03 }] }))).toEqual([{ label: "other language", score: 0.03 }]);
});

it("cuts the words of a part by characters", () => {
  const parts = [{ route: "incident", score: 0.8, start: 2, end: 9 }];
  expect(partRows(found({ parts }), "😀 un hoyo y más")).toEqual([{ label: "incident", score: 0.8, detail: "un hoyo" }]);
});

it("says what would be done about danger", () => {
  expect(emergencyRow(found()).label).toBe("None");
  expect(emergencyRow(found({ emergency: { yes: false, ask: true, score: 0.5 } })).label).toContain("Asks");
  expect(emergencyRow(found({ emergency: { yes: true, ask: false, kind: "self_harm", score: 1 } }))).toEqual({
    label: "Tells to dial 911", score: 1, detail: "self harm",
  });
  expect(percent(0.917)).toBe("92 %");
});
