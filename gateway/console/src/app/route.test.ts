import { expect, it } from "vitest";

import { hrefs, parseRoute } from "./route";

it("finds its way back from every address it makes", () => {
  expect(parseRoute(hrefs.calls)).toEqual({ screen: "calls", id: null, query: "" });
  expect(parseRoute(hrefs.call("a/b"))).toEqual({ screen: "calls", id: "a/b", query: "" });
  expect(parseRoute(hrefs.work)).toEqual({ screen: "work", id: null, query: "" });
  expect(parseRoute(hrefs.request("INC-4821"))).toEqual({ screen: "work", id: "INC-4821", query: "" });
  for (const screen of ["history", "overview", "knowledge", "phone", "words"] as const) expect(parseRoute(hrefs[screen]).screen).toBe(screen);
});

it("keeps what a screen is narrowed to", () => {
  expect(parseRoute("#/work?state=done&q=oak")).toEqual({ screen: "work", id: null, query: "state=done&q=oak" });
});

it("shows calls for an address it does not know", () => {
  expect(parseRoute("#/nowhere/else")).toEqual({ screen: "calls", id: null, query: "" });
  expect(parseRoute("")).toEqual({ screen: "calls", id: null, query: "" });
});

it("takes an address that was cut in mid-letter as it is", () => {
  expect(parseRoute("#/work/INC%E2%9").id).toBe("INC%E2%9");
});
