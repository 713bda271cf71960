import { expect, it } from "vitest";

import { callsCsv, csv } from "./csv";
import { unknownFacts } from "./state";

it("quotes what would break the table", () => {
  expect(csv([['say "hi"', "a,b", "two\nlines", "plain"]])).toBe('"say ""hi""","a,b","two\nlines",plain\r\n');
});

it("lets no spreadsheet run what a cell holds", () => {
  expect(csv([["=1+1", "@x", "+cmd", "-2+3", "+12025550100", "-4.5"]])).toBe("'=1+1,'@x,'+cmd,'-2+3,+12025550100,-4.5\r\n");
});

it("writes a call without personal data", () => {
  const call = { ...unknownFacts("c1", "2026-01-01T00:00:00Z"), from: "⟨phone:1⟩", state: "ended" as const, ended_at: "2026-01-01T00:01:30Z", end_reason: "caller_hung_up", language: "es" };
  const [, row] = callsCsv([call]).split("\r\n");
  expect(row).toBe("c1,2026-01-01T00:00:00Z,2026-01-01T00:01:30Z,90,,Spanish,Caller hung up,0,0,none");
});
