import { expect, it } from "vitest";

import { hrefs, parseRoute } from "./route";

it("finds its way back from every address it makes", () => {
  expect(parseRoute(hrefs.calls)).toEqual({ screen: "calls", callId: null, requestId: null });
  expect(parseRoute(hrefs.call("a/b"))).toEqual({ screen: "calls", callId: "a/b", requestId: null });
  expect(parseRoute(hrefs.work)).toEqual({ screen: "work", callId: null, requestId: null });
  expect(parseRoute(hrefs.request("INC-4821"))).toEqual({ screen: "work", callId: null, requestId: "INC-4821" });
  expect(parseRoute(hrefs.phone).screen).toBe("phone");
  expect(parseRoute(hrefs.words).screen).toBe("words");
});

it("shows calls for an address it does not know", () => {
  expect(parseRoute("#/nowhere/else")).toEqual({ screen: "calls", callId: null, requestId: null });
  expect(parseRoute("")).toEqual({ screen: "calls", callId: null, requestId: null });
});
