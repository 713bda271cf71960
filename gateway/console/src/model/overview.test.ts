import { expect, it } from "vitest";

import type { LineFigures } from "../api/types";
import { beginning, containment, series, shares, top, topicName } from "./overview";

const now = new Date(2026, 10, 26, 13, 30).getTime();
const bar = (at: string, more: Partial<LineFigures["series"][number]>) => ({ at, calls: 0, cost_usd: 0, spoken: 0, contained: 0, p50_ms: null, p95_ms: null, ...more });
const figures = (bars: LineFigures["series"]): LineFigures => ({
  timezone: "UTC",
  truncated: false,
  calls: { total: 0, live: 0, ended: 0, silent: 0, refused: 0, contained: 0, cost_usd: 0, mean_seconds: null, by_outcome: {}, by_language: {}, by_hour: [] },
  response: { turns: 0, p50_ms: null, p95_ms: null },
  requests: { by_kind: {}, open: 0, overdue: 0 },
  questions: { answered: 0, unanswered: 0, topics: [], without_a_page: [] },
  series: bars,
});

it("begins at a whole hour, or at the beginning of a day of the reader's calendar", () => {
  expect(new Date(beginning("day", now)).getHours()).toBe(14);
  expect(new Date(beginning("week", now)).getDate()).toBe(20);
  expect(new Date(beginning("month", now)).getHours()).toBe(0);
});

it("tells nothing of times in which nothing was measured", () => {
  const found = figures([bar("2026-11-26T12:00:00Z", { calls: 3, spoken: 2, contained: 1, p50_ms: 700 }), bar("2026-11-26T13:00:00Z", {})]);
  expect(containment(found).map((point) => point.value)).toEqual([50, null]);
  expect(series(found, "p50_ms").map((point) => point.value)).toEqual([700, null]);
  expect(series(found, "calls")[0]).toEqual({ at: Date.parse("2026-11-26T12:00:00Z"), value: 3 });
});

it("has the most frequent first, and round tops of scales", () => {
  expect(shares({ a: 1, b: 2 })).toEqual([{ name: "b", value: 2 }, { name: "a", value: 1 }]);
  expect([0, 0.03, 1, 3, 7, 10, 11].map(top)).toEqual([1, 0.05, 1, 5, 10, 10, 20]);
});

it("names a page by what it is about", () => {
  expect(topicName("docs/building-permits.md")).toBe("Building permits");
  expect(topicName("https://x.gov/trash")).toBe("Trash");
  expect(topicName("/")).toBe("/");
});
