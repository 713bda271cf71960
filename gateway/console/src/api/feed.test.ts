import { expect, it } from "vitest";

import { retryDelay } from "./feed";

it("waits longer after each failure, up to a quarter of a minute, never in step with others", () => {
  expect([1, 2, 3].map((n) => retryDelay(n, () => 1))).toEqual([500, 1000, 2000]);
  expect(retryDelay(50, () => 1)).toBe(15_000);
  expect(retryDelay(50, () => 0)).toBe(11_250);
});
