import { expect, it } from "vitest";

import { due, span, when } from "./when";

// A Thursday, in local time, so that the test holds in any zone.
const now = new Date(2026, 10, 26, 13, 0).getTime();
const at = (...parts: [number, number, number, number, number]): string => new Date(...parts).toISOString();

it("says when as people do", () => {
  expect(when(new Date(now - 20_000).toISOString(), now)).toBe("Just now");
  expect(when(new Date(now - 60_000).toISOString(), now)).toBe("1 minute ago");
  expect(when(new Date(now - 59 * 60_000).toISOString(), now)).toBe("59 minutes ago");
  expect(when(at(2026, 10, 26, 9, 5), now)).toMatch(/^Today at 0?9:05/);
  expect(when(at(2026, 10, 25, 23, 59), now)).toMatch(/^Yesterday at /);
  expect(when(at(2026, 10, 23, 8, 0), now)).toMatch(/^Monday at /);
  expect(when(at(2026, 10, 19, 8, 0), now)).toMatch(/19.* at /);
  expect(when(at(2025, 10, 19, 8, 0), now)).toContain("2025");
  expect(when("not a time", now)).toBe("");
});

it("says how long is left, and how late it is", () => {
  expect(due(new Date(now + 15 * 60_000).toISOString(), now)).toBe("Due in 15 minutes");
  expect(due(at(2026, 10, 27, 9, 0), now)).toMatch(/^Due tomorrow at /);
  expect(due(at(2026, 10, 30, 9, 0), now)).toMatch(/^Due .*30.* at /);
  expect(due(new Date(now - 3_600_000).toISOString(), now)).toBe("1 hour overdue");
  expect(due(new Date(now - 5 * 86_400_000).toISOString(), now)).toBe("5 days overdue");
});

it("never says that more is left than there is", () => {
  expect(span(119_000)).toBe("1 minute");
  expect(span(30_000)).toBe("less than a minute");
  expect(span(47.9 * 3_600_000)).toBe("47 hours");
});
