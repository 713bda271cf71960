import { expect, it } from "vitest";

import { asWritten, pageFor, takeAlong, takenAlong, withAsked } from "./draft";

it("takes a question along once", () => {
  takeAlong("Who plows Elm?");
  expect([takenAlong(), takenAlong()]).toEqual(["Who plows Elm?", null]);
});

it("begins a page with the question, without what was hidden in it", () => {
  const page = pageFor('Can ⟨name:1⟩ get a "kayak" permit?');
  expect(page.source).toBe("can-name-hidden-get-a-kayak-permit.md");
  expect(page.content).toContain('\n"Can name (hidden) get a \\"kayak\\" permit" = ["Can name (hidden) get a \\"kayak\\" permit?"]\n+++\n');
  expect(asWritten("a\n b")).toBe("a b");
});

it("adds a question to the first section of a page", () => {
  const plain = "# Trash\n\n## Missed pickup\n\nCall us.";
  const once = withAsked(plain, "They skipped us");
  expect(once).toBe('+++\n[asked]\n"Missed pickup" = ["They skipped us"]\n+++\n\n# Trash\n\n## Missed pickup\n\nCall us.');
  expect(withAsked(once, "My can is full")).toContain('"Missed pickup" = ["They skipped us", "My can is full"]\n+++');
  const other = '+++\nspoken = "x"\n[asked]\n"Fees" = ["how much"]\n+++\n\n# Trash\nText.';
  expect(withAsked(other, "When?")).toContain('[asked]\n"Trash" = ["When?"]\n"Fees" = ["how much"]');
  expect(withAsked("Text.", "When?")).toContain('"Page" = ["When?"]');
});
