import { describe, expect, it } from "vitest";

import { joinHeard, splitHeard } from "./heard";

describe("splitHeard", () => {
  it("cuts at the last word heard, whatever the punctuation", () => {
    expect(splitHeard("I can take that down. Where is it?", "i can take")).toEqual({
      heard: "I can take",
      rest: "that down. Where is it?",
    });
  });

  it("has nothing left when all was heard", () => {
    expect(splitHeard("Good morning.", "Good morning.").rest).toBe("");
  });

  it("trusts the length when the words differ, and never runs past the end", () => {
    expect(splitHeard("one two", "x y z")).toEqual({ heard: "one two", rest: "" });
  });

  it("keeps typed tokens whole", () => {
    expect(splitHeard("Call ⟨phone:1⟩ today", "Call ⟨phone:1⟩").rest).toBe("today");
  });
});

describe("joinHeard", () => {
  it("appends a report about the next segment", () => {
    expect(joinHeard("I can help.", "Where is it?")).toBe("I can help. Where is it?");
  });
  it("takes a report about the whole turn in place of the earlier one", () => {
    expect(joinHeard("I can help.", "I can help. Where")).toBe("I can help. Where");
  });
  it("does not lose words to an empty report", () => {
    expect(joinHeard("I can", "")).toBe("I can");
  });
});
