import { expect, it } from "vitest";

import { at, changed, claimsOf, faultAt, faultText, list, text, tidied, type Config } from "./config";

const config: Config = { name: "Oakdale", office: { phone: "202-555-0170" }, line: [{ number: "+12025550171" }, { number: "+12025550172" }] };

it("finds what a fault names", () => {
  expect(text(config, "office.phone")).toBe("202-555-0170");
  expect(at(config, "line[2].number")).toBe("+12025550172");
  expect([text(config, "hours.friday"), list(config, "target").length, at(config, "line[9].number")]).toEqual(["", 0, undefined]);
});

it("changes one place and leaves the rest, and the document that it was", () => {
  const next = changed(config, "line[2].recording_consent", "ask");
  expect(at(next, "line[2]")).toEqual({ number: "+12025550172", recording_consent: "ask" });
  expect(at(config, "line[2].recording_consent")).toBeUndefined();
  expect(at(changed(config, "wording.en.greeting", ["Hello."]), "wording.en.greeting")).toEqual(["Hello."]);
});

it("says nothing of what was emptied, and takes things out of lists", () => {
  expect("phone" in (changed(config, "office.phone", "")["office"] as object)).toBe(false);
  expect(list(changed(config, "line[1]", undefined), "line")).toEqual([{ number: "+12025550172" }]);
  expect(list(changed(config, "target[1]", {}), "target")).toEqual([{}]);
});

it("reads claims from a spreadsheet's table", () => {
  const { claims, problem } = claimsOf('\uFEFFClaim number;status_text;pin\r\nCLM-1;"Under review; a letter ""soon""";4417\r\n\r\nCLM-2;;\r\n');
  expect(problem).toBeNull();
  expect(claims).toEqual([{ claim_number: "CLM-1", status_text: 'Under review; a letter "soon"', pin: "4417" }, { claim_number: "CLM-2" }]);
});

it("says what is wrong with a table", () => {
  expect(claimsOf("claim_number,ssn\n1,2").problem).toContain("“ssn”");
  expect(claimsOf("status\nopen").problem).toContain("claim_number");
  expect(claimsOf("claim_number,status\n1").problem).toBe("Row 2 has 1 cells; there are 2 columns.");
  expect(claimsOf("claim_number\n").problem).toBe("There are no claims below the column names.");
});

it("tells what is wrong at a place, and with which entry of a list", () => {
  const faults = [
    { key: "target[1].subjects[2]", message: "has no words" },
    { key: "target[1].number", message: "is no telephone number" },
  ];
  const said = (key: string): string | undefined => {
    const fault = faultAt(faults, key);
    return fault && faultText(fault, key);
  };
  expect(["target[1].number", "target[1].subjects", "target[1].name", "target[2].number"].map(said)).toEqual(["This is no telephone number.", "Entry 2 has no words.", undefined, undefined]);
});

it("sends no empty item of a list", () => {
  expect(tidied({ streets: ["Elm ", ""], line: [{ number: "1" }, {}] })).toEqual({ streets: ["Elm"], line: [{ number: "1" }, {}] });
});
