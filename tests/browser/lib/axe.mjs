// Automated accessibility check of a page as it stands.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];

/** Fails with every violation and the elements concerned. */
export async function assertAccessible(page, what) {
  // Evaluated by the debugger, not as a script of the page, so that the page's content policy stays as it is.
  await page.evaluate(source);
  const violations = await page.evaluate(async (values) => {
    const result = await globalThis.axe.run(document, { runOnly: { type: "tag", values } });
    return result.violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.map((n) => `    ${n.html.slice(0, 160)}\n      ${n.failureSummary?.split("\n").slice(1).join(" ")}`).join("\n")}`);
  }, RULES);
  assert.deepEqual(violations, [], `${what}:\n${violations.join("\n")}`);
}
