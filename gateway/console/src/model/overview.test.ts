import { expect, it } from "vitest";

import type { CallItem, WorkItem } from "../api/types";
import { bars, figures, shares, top } from "./overview";
import { unknownFacts } from "./state";

const now = new Date(2026, 10, 26, 13, 30).getTime();
const call = (minutesAgo: number, more: Partial<CallItem> = {}): CallItem => {
  const started = now - minutesAgo * 60_000;
  const over = { state: "ended" as const, ended_at: new Date(started + 60_000).toISOString(), end_reason: "caller_hung_up" };
  return { ...unknownFacts(`c${minutesAgo}`, new Date(started).toISOString()), ...over, language: "en", ...more };
};
const request = (more: Partial<WorkItem>): WorkItem => ({
  id: "r", reference: "R", kind: "incident", title: "", status: "open", priority: "normal", assignee: null, alarms: 0, overdue: false, call_id: null, passport_id: null,
  due_at: new Date(now + 60_000).toISOString(), created_at: new Date(now - 60_000).toISOString(), updated_at: "", fields: [], ...more,
});

it("has whole hours and days of the reader's calendar", () => {
  expect(bars("day", now)).toHaveLength(24);
  expect(new Date(bars("day", now).at(-1)!).getMinutes()).toBe(0);
  expect(bars("week", now)).toHaveLength(7);
  expect(new Date(bars("month", now)[0]!).getHours()).toBe(0);
});

it("counts the calls of the span alone, each in its bar", () => {
  const found = figures([call(5), call(10, { cost_usd: 0.5 }), call(120), call(60 * 30)], [], "day", now);
  expect(found.calls).toBe(3);
  expect(found.perBar.at(-1)?.value).toBe(2);
  expect(found.perBar.at(-3)?.value).toBe(1);
  expect(found.cost).toBe(0.5);
  expect(found.costPerBar.at(-1)?.value).toBe(0.5);
  expect(found.byHour[13]).toBe(2);
  expect(found.length).toBe(60_000);
});

it("leaves calls on the line out of lengths and endings", () => {
  const found = figures([call(5, { state: "live", ended_at: null, end_reason: null }), call(6, { language: "es" })], [], "day", now);
  expect(found.live).toBe(1);
  expect(found.endings).toEqual([{ name: "caller_hung_up", value: 1 }]);
  expect(found.languages).toEqual([{ name: "en", value: 1 }, { name: "es", value: 1 }]);
  expect(figures([], [], "week", now).length).toBeNull();
});

it("counts what is open and late whenever it was made, and kinds of the span alone", () => {
  const old = request({ created_at: new Date(now - 90 * 86_400_000).toISOString(), due_at: new Date(now - 1).toISOString() });
  const found = figures([], [old, request({ kind: "message" }), request({ status: "done" })], "day", now);
  expect([found.openRequests, found.overdue]).toEqual([2, 1]);
  expect(found.kinds).toEqual([{ name: "incident", value: 1 }, { name: "message", value: 1 }]);
});

it("has the most frequent first, and round tops of scales", () => {
  expect(shares(["a", "b", "b"])).toEqual([{ name: "b", value: 2 }, { name: "a", value: 1 }]);
  expect([0, 0.03, 1, 3, 7, 10, 11].map(top)).toEqual([1, 0.05, 1, 5, 10, 10, 20]);
});
