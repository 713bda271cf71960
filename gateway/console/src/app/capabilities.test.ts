import { expect, it } from "vitest";

import { offersOf } from "./capabilities";

it("offers what the gateway has a route for, and nothing else", () => {
  const offers = offersOf({ "/v1/calls": { get: { parameters: [{ name: "state" }, { name: "q" }] } } });
  expect(offers.has("/v1/calls")).toBe(true);
  expect(offers.has("/v1/calls", "q")).toBe(true);
  expect(offers.has("/v1/calls", "outcome")).toBe(false);
  expect(offers.has("/v1/overview")).toBe(false);
  expect(offersOf({}).has("/v1/calls")).toBe(false);
});
