import { expect, it } from "vitest";

import { asSpoken, nameOf, offersRefer, raised, summary, withOpen, without, withRaised, withWarm, wrongOnes } from "./targets";

it("says on one line what sets a target apart", () => {
  expect(summary({ name: "the clerk's office", number: "+12025550180" })).toBe("+1 202-555-0180 · cold");
  expect(
    summary({
      number: "2025550181",
      warm: true,
      notes: true,
      lines: 2,
      queue: true,
      hours: { weekdays: "8:00-16:30" },
      languages: ["en", "es"],
      on_lines: ["+12025550100", "+12025550101"],
      transfer_by_agent: false,
    }),
  ).toBe(
    "+1 202-555-0181 · warm, with notes · 2 people · callers may wait · its own hours · English, Spanish · for callers of +1 202-555-0100, +1 202-555-0101 · by supervisors only",
  );
  expect([summary({}), summary({ hours: {}, lines: 1 }), nameOf({ name: " " }, 2)]).toEqual(["cold", "cold", "Target 2"]);
});

it("takes notes away with warm, and leaves everything else", () => {
  const clerk = { name: "the clerk's office", warm: true, notes: true, queue: true };
  expect(withWarm(clerk, false)).toEqual({ name: "the clerk's office", queue: true });
  expect(withWarm({ name: "roads", refer: "sip:roads@pbx.example.gov" }, true)).toEqual({ name: "roads", refer: "sip:roads@pbx.example.gov", warm: true });
});

it("offers an address at an exchange for cold targets, and shows one that a warm target may not have", () => {
  expect([{}, { warm: true }, { warm: true, refer: "sip:roads@pbx.example.gov" }].map(offersRefer)).toEqual([true, false, true]);
});

it("takes no language for any of them, and does not mind their order", () => {
  expect([undefined, [], ["es"], ["es", "en"], ["en", "en"]].map(asSpoken.read)).toEqual(["", "", "es", "en,es", "en"]);
  expect(["", "es", "en,es"].map(asSpoken.write)).toEqual([undefined, ["es"], ["en", "es"]]);
});

it("finds those that something is wrong with", () => {
  const faults = ["target[1].name", "target[1].hours.friday", "target[10].subjects[2]", "target", "line[3].number"].map((key) => ({ key, message: "is wrong" }));
  expect(wrongOnes(faults)).toEqual([1, 1, 10]);
});

it("keeps those open that were, when another is taken out", () => {
  expect(without([1, 2, 4], 2)).toEqual([1, 3]);
  const open = [1, 3];
  expect(withOpen(open, [3, 2, 2])).toEqual([1, 3, 2]);
  expect(withOpen(open, [3])).toBe(open);
});

it("moves one up, open or not, and leaves the others where they are", () => {
  expect(raised(["a", "b", "c", "d"], 3)).toEqual(["a", "c", "b", "d"]);
  expect(raised(["a", "b"], 2)).toEqual(["b", "a"]);
  expect(withRaised([1, 3, 4], 3)).toEqual([1, 2, 4]);
  expect(withRaised([2, 3], 3)).toEqual([3, 2]);
});
