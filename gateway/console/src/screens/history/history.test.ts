import { expect, it } from "vitest";

import { choiceOf, questionOf } from "./filter";

const all = (): boolean => true;

it("asks only what the gateway knows to answer", () => {
  const choice = choiceOf("q=oak%20street&topic=trash.md&line=%2B12025550100&outcome=busy");
  expect(questionOf(choice, all)).toEqual({ state: "ended", q: "oak street", topic: "trash.md", line: "+12025550100", outcome: "busy" });
  expect(questionOf(choice, (name) => name === "line")).toEqual({ state: "ended", line: "+12025550100" });
});

it("takes whole days of the reader's calendar", () => {
  const question = questionOf(choiceOf("from=2026-03-01&to=2026-03-01"), all);
  expect(question["from"]).toBe(new Date(2026, 2, 1).toISOString());
  expect(question["to"]).toBe(new Date(2026, 2, 2).toISOString());
});

it("leaves out what is no day", () => {
  expect(questionOf(choiceOf("from=yesterday"), all)).toEqual({ state: "ended" });
});
