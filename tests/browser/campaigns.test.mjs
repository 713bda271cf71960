// Campaigns: a list is pasted and called, looked at, paused, and canceled after a question; who does not act only looks.

import assert from "node:assert/strict";

import { until } from "./lib/browser.mjs";
import { consoleSuite, everyLook } from "./lib/suite.mjs";

const as = (role) => ({ prepare: (mock) => void (mock.role = role) });

async function open(page, mock) {
  await page.goto(`${mock.url}/#/oversight`);
  await page.getByRole("button", { name: "Campaigns" }).click();
  await page.locator("[data-campaign='0197-k1']").waitFor();
}

consoleSuite("campaigns", (test) => {
  test("a list is paused, goes on, and is canceled after a question", as("supervisor"), async ({ page, mock }) => {
    await open(page, mock);
    const first = page.locator("[data-campaign='0197-k1']");
    await first.getByText("13 of 40 done with, 2 on the line, 25 to come").waitFor();
    await first.getByText("It waits for room: callers go first.").waitFor();
    await first.getByText("did not agree to be called for this").waitFor();
    assert.equal(await page.locator("[data-campaign='0197-k2']").getByRole("button").count(), 0, "it is over");
    await first.getByRole("button", { name: "Pause" }).click();
    await first.getByText("Paused").waitFor();
    await first.getByRole("button", { name: "Go on" }).click();
    await first.getByText("Running").waitFor();
    await first.getByRole("button", { name: "Cancel…" }).click();
    const asked = page.getByRole("dialog", { name: "Cancel this list?" });
    await asked.getByRole("button", { name: "Not now" }).click();
    assert.equal(mock.campaigns[0].state, "running", "a question is no answer");
    await first.getByRole("button", { name: "Cancel…" }).click();
    await asked.getByRole("button", { name: "Cancel the list" }).click();
    await first.getByText("were canceled").waitFor();
    await until("nothing to be left to press", async () => (await first.getByRole("button").count()) === 0);
    assert.deepEqual(mock.forbidden, []);
  });

  test("a pasted list is called from the keyboard alone, and what is no number is shown", as("tenant-admin"), async ({ page, mock }) => {
    await open(page, mock);
    const numbers = page.getByLabel("Numbers, one a line");
    await numbers.focus();
    await page.keyboard.insertText("+12125550143\n(212) 555-0144, nobody");
    await page.getByLabel("Calls at a time").fill("2");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("They are: nobody").waitFor();
    await numbers.fill("+12125550143\n(212) 555-0144");
    await page.keyboard.press("Tab");
    await page.getByLabel("Tries after the first").focus();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Call 2 numbers");
    await page.keyboard.press("Enter");
    await page.getByText("Begun: 2 numbers.").waitFor();
    assert.deepEqual(mock.called.numbers, ["+12125550143", "(212) 555-0144"]);
    assert.equal(mock.called.at_once, 2);
    await page.locator("[data-campaign='0197-k3']").getByText("0 of 2 done with, 2 to come").waitFor();
    assert.equal(await numbers.inputValue(), "", "ready for the next");
    assert.deepEqual(mock.forbidden, []);
  });

  test("an auditor looks and stops nothing", as("auditor"), async ({ page, mock }) => {
    await open(page, mock);
    assert.equal(await page.locator("[data-campaign]").getByRole("button").count(), 0);
    assert.equal(await page.getByLabel("Numbers, one a line").count(), 0);
    assert.deepEqual(mock.forbidden, []);
  });

  everyLook(test, "is accessible and fits", as("tenant-admin"), async ({ page, mock, look }) => {
    await open(page, mock);
    await look("campaigns");
  });
});
