import { describe, expect, it } from "vitest";

import { heardParts, joinHeard } from "./heard";

/** As it is shown: what was not heard in brackets. */
const shown = (text: string, heard: string): string =>
  heardParts(text, heard).map((part) => (part.heard ? part.text : `[${part.text}]`)).join(" ");

describe("heardParts", () => {
  it("cuts at the last word heard, whatever the punctuation", () => {
    expect(shown("I can take that down. Where is it?", "i can take")).toBe("I can take [that down. Where is it?]");
  });

  it("has nothing left when all was heard, and all when nothing was", () => {
    expect(shown("Good morning.", "Good morning.")).toBe("Good morning.");
    expect(shown("Good morning.", "")).toBe("[Good morning.]");
  });

  it("goes on with what was said after the cut, in the same turn", () => {
    const text = "Thank you for calling. How can I help? You are now speaking with a member of our staff.";
    expect(shown(text, "Thank you You are now speaking with a member of our staff.")).toBe(
      "Thank you [for calling. How can I help?] You are now speaking with a member of our staff.",
    );
    expect(shown(text, "Thank you You are now")).toBe("Thank you [for calling. How can I help?] You are now [speaking with a member of our staff.]");
  });

  it("trusts the length when the words differ, and never runs past the end", () => {
    expect(shown("one two", "x y z")).toBe("one two");
    expect(shown("one two three", "x y")).toBe("one two [three]");
  });

  it("keeps typed tokens whole", () => {
    expect(shown("Call ⟨phone:1⟩ today", "Call ⟨phone:1⟩")).toBe("Call ⟨phone:1⟩ [today]");
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
