// Oversight: what agents want to do is approved or not, what they remember is read and forgotten, and rules are tried and kept.

import assert from "node:assert/strict";

import { until } from "./lib/browser.mjs";
import { consoleSuite, everyLook } from "./lib/suite.mjs";

const as = (role) => ({ prepare: (mock) => void (mock.role = role) });

consoleSuite("oversight", (test) => {
  test("what waits for a person is approved or rejected after a question, and is told where somebody was quicker", as("supervisor"), async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/oversight`);
    const first = page.locator("[data-effect='0197-e1']");
    await first.getByText("Pothole on Maple").waitFor();
    await first.getByRole("button", { name: "Approve" }).click();
    const asked = page.getByRole("dialog", { name: "Approve: Open case?" });
    await asked.getByRole("button", { name: "Not yet" }).click();
    assert.equal(mock.oversight.effects[0].state, "held", "a question is no answer");
    await first.getByRole("button", { name: "Approve" }).click();
    await asked.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Open case: it is made now.").waitFor();
    assert.equal(mock.oversight.effects[0].state, "pending");
    await until("it to be gone from what waits", async () => (await first.count()) === 0);
    mock.oversight.effects[1].state = "rejected";
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("dialog", { name: "Reject: Send letter?" }).getByRole("button", { name: "Reject" }).click();
    await page.getByRole("alert").getByText("This effect was decided before.").waitFor();
    await page.getByText("Nothing waits for a person.").waitFor();
    await page.getByLabel("State").selectOption("Could not be made");
    await page.locator("[data-effect='0197-e3']").getByText("Timeout").waitFor();
    assert.deepEqual(mock.forbidden, []);
  });

  test("what is remembered of a caller is read with the reasons, and forgotten when they ask", as("supervisor"), async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/oversight`);
    await page.getByRole("button", { name: "Memory" }).click();
    await page.locator("[data-suggestion='0197-m2']").getByText("No fact of this kind is remembered").waitFor();
    await page.getByRole("button", { name: "What is known of this caller" }).click();
    const known = page.getByRole("dialog", { name: "What is known of this caller" });
    await known.getByText("⟨address:1⟩").waitFor();
    await known.getByRole("button", { name: "Forget, and remember nothing from now on" }).click();
    await page.getByText("Forgotten. Nothing is remembered of this caller from now on.").waitFor();
    assert.equal(mock.oversight.callers.get("0197-c1").opt_out, true);
    await page.getByRole("button", { name: "What is known of this caller" }).click();
    await known.getByText("They asked that nothing be remembered.").waitFor();
    assert.deepEqual(mock.forbidden, []);
  });

  test("a sentence is held against the rules, and an office's own are kept or said to be wrong", as("tenant-admin"), async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/oversight`);
    await page.getByRole("button", { name: "Rules" }).click();
    await page.locator("[data-rule=no-legal-advice]").getByText("Nobody is told to sue.").waitFor();
    await page.getByLabel("A sentence").fill("You should sue them.");
    await page.keyboard.press("Enter");
    await page.getByText("It may not be said.").waitFor();
    await page.getByText("Said instead: I can't give legal advice.").waitFor();
    await page.getByLabel("A sentence").fill("We open at eight.");
    await page.keyboard.press("Enter");
    await page.getByText("It may be said.").waitFor();
    const own = page.getByLabel("Their text");
    await own.fill("no rule");
    await page.getByRole("button", { name: "Keep these rules" }).click();
    await page.getByRole("alert").getByText("Tenant.rules, line 1: this is no rule.").waitFor();
    await own.fill("rule no-mayor-quotes {\n}\n");
    await page.getByRole("button", { name: "Keep these rules" }).click();
    await page.getByText("Kept. 2 rules hold from the next sentence of every call.").waitFor();
    await page.locator("[data-rule=no-mayor-quotes]").getByText("This office's").waitFor();
    assert.deepEqual(mock.forbidden, []);
  });

  test("an auditor reads all of it and decides nothing", as("auditor"), async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/oversight`);
    await page.locator("[data-effect='0197-e1']").waitFor();
    for (const name of ["Approve", "Reject"]) assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    await page.getByRole("button", { name: "Memory" }).click();
    await page.getByRole("button", { name: "What is known of this caller" }).click();
    await page.getByRole("dialog").getByText("⟨address:1⟩").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Forget/ }).count(), 0);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("button", { name: "Rules" }).click();
    await page.locator("[data-rule=no-legal-advice]").waitFor();
    assert.equal(await page.getByLabel("Their text").count(), 0);
    assert.deepEqual(mock.forbidden, []);
  });

  everyLook(test, "is accessible and fits", as("tenant-admin"), async ({ page, mock, look }) => {
    await page.goto(`${mock.url}/#/oversight`);
    await page.locator("[data-effect='0197-e1']").waitFor();
    await look("oversight-effects");
    await page.getByRole("button", { name: "Memory" }).click();
    await page.locator("[data-suggestion='0197-m1']").waitFor();
    await look("oversight-memory");
    await page.getByRole("button", { name: "Rules" }).click();
    await page.locator("[data-rule=no-legal-advice]").waitFor();
    await look("oversight-rules");
  });
});
