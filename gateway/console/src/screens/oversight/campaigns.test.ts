import { expect, it } from "vitest";

import type { Campaign } from "../../api/types";
import { listed, outcome, progress, waitingFor, wrongOnes } from "./campaigns";

const campaign: Campaign = {
  id: "c",
  purpose: "request",
  line: "+12025550100",
  language: "en",
  by: "bo",
  state: "running",
  from: "",
  until: "",
  at_once: 2,
  retries: 0,
  waits: null,
  created_at: "",
  ended_at: null,
  numbers: 5,
  waiting: 2,
  calling: 1,
  results: { reached: 2 },
  waiting_for: {},
};

it("takes a pasted list however it is divided", () => {
  expect(listed(" +12125550143\r\n(212) 555-0144,\n\n212.555.0145; ")).toEqual(["+12125550143", "(212) 555-0144", "212.555.0145"]);
  expect(listed(" \n ")).toEqual([]);
});

it("says how far it is and why it waits", () => {
  expect(progress(campaign)).toBe("2 of 5 done with, 1 on the line, 2 to come");
  expect(progress({ ...campaign, waiting: 0, calling: 0 })).toBe("5 of 5 done with");
  expect(waitingFor({ ...campaign, waits: "no_room" })).toBe("It waits for room: callers go first.");
  expect(waitingFor({ ...campaign, waits: "no_room", state: "paused" })).toBeNull();
  expect([outcome("no_consent"), outcome("some_rule")]).toEqual(["did not agree to be called for this", "some rule"]);
});

it("finds what was refused in the list as it was pasted", () => {
  const numbers = ["+12125550143", "nobody", "12"];
  expect(wrongOnes(numbers, { positions: [2, 3, 9] })).toEqual(["nobody", "12"]);
  expect(wrongOnes(numbers, {})).toEqual([]);
});
