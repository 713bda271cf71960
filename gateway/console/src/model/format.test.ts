import { expect, it } from "vitest";

import { callerDetail, callerName, dialable, duration, durationWords, endReason, fieldText, phoneNumber, shortId, words } from "./format";

it("writes durations as a phone does, and in words", () => {
  expect([duration(-5), duration(7_900), duration(760_000), duration(3_723_000)]).toEqual(["0:00", "0:07", "12:40", "1:02:03"]);
  expect([durationWords(0), durationWords(61_000)]).toEqual(["0 seconds", "1 minute 1 second"]);
});

it("names callers without showing what a token hides", () => {
  expect(callerName("⟨phone:1⟩")).toBe("Caller");
  expect(callerDetail("⟨phone:1⟩")).toBe("Number hidden");
  expect(shortId("0197c0de-0000-7000-8000-00000000ab3f")).toBe("AB3F");
  expect(callerName(null)).toBe("No number given");
  expect(phoneNumber("+12025550100")).toBe("(202) 555-0100");
  expect(phoneNumber("anonymous")).toBe("anonymous");
  for (const told of ["+12025550147", "2025550147", "202-555-0147", "(202) 555-0147", "1 202 555 0147"]) {
    expect(dialable(told)).toBe("+1 202-555-0147");
  }
  for (const other of ["555-0147", "+442079460000", "call the shop"]) expect(dialable(other)).toBe(other);
});

it("turns codes into words, also those it has never seen", () => {
  expect(words("file_report")).toBe("File report");
  expect(endReason("caller_hung_up")).toBe("Caller hung up");
  expect(endReason("moon_fell")).toBe("Moon fell");
});

it("shows values of any shape", () => {
  expect([fieldText(null), fieldText(3), fieldText({ a: 1 })]).toEqual(["Not given", "3", '{"a":1}']);
});
