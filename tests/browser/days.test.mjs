// Five people's days: each does their work, sees what they may, and nothing else. No screen asks the gateway for what it refuses.

import assert from "node:assert/strict";

import { until } from "./lib/browser.mjs";
import { consoleSuite } from "./lib/suite.mjs";
import { exampleCalls } from "./mock/examples.mjs";
import { record } from "./mock/recording.mjs";
import { entry } from "./mock/settings.mjs";

const as = (role) => ({
  prepare: (mock) => {
    mock.role = role;
    const made = exampleCalls(mock);
    record(mock, made.old);
    mock.asked = [{ call_id: made.old.id, turn: 1, at: new Date().toISOString(), text: "Can I keep bees?" }];
    mock.audit = [entry(mock, "personal.revealed", "RB-2042", "ana")];
    const metrics = { completed_tasks: 12, accuracy_rate: 0.75, escalation_rate: 0.1, confidence_calibration: 0.8 };
    mock.agents = [{ agent_id: "front_desk/intake", level: 1, acts_on: 1, metrics, history: [{ from_level: 2, to_level: 1, reason: "accuracy 0.750, level 2 takes 0.85", changed_at: new Date().toISOString() }] }];
    mock.tenants.push({ id: "0197-t2", slug: "oakdale", name: "City of Oakdale" });
    return made;
  },
});

const EVERYWHERE = ["Calls", "Requests", "History", "Overview", "Knowledge"];
const HIDDEN = { Phone: "phone", "Try words": "words", Oversight: "oversight", Settings: "settings", Audit: "audit" };

/** The screens that are offered are these, and the others say that they are not for this role, by key or by address. */
async function sees(page, mock, more) {
  const links = page.getByRole("banner").getByRole("navigation").getByRole("link");
  await links.first().waitFor();
  const names = (await links.allTextContents()).map((text) => text.replace(/\d+ live$/, ""));
  assert.deepEqual([...names].sort(), [...EVERYWHERE, ...more].sort());
  for (const [name, path] of Object.entries(HIDDEN)) {
    if (more.includes(name)) continue;
    await page.goto(`${mock.url}/#/${path}`);
    await page.getByText(`${name}: your role does not see this.`).waitFor();
  }
  // Everything that is offered opens, and nothing in it is refused.
  for (const name of names) {
    await links.filter({ hasText: name }).first().click();
    await until(`${name} to be loaded`, async () => (await page.getByText("Loading…").count()) === 0);
  }
  await page.keyboard.press("c");
}
const open = (page, mock, call) => page.goto(`${mock.url}/#/calls/${call.id}`).then(() => page.getByRole("article", { name: "Selected call" }).waitFor());
const offered = (page, name) => page.getByRole("button", { name, exact: true }).count();

consoleSuite("days", (test) => {
  test("a clerk works requests, sees a number to serve its caller, and leaves live calls alone", as("clerk"), async ({ page, mock, made }) => {
    await sees(page, mock, []);
    await open(page, mock, made.live);
    for (const name of ["Listen", "Whisper", "Take over", "Hang up"]) assert.equal(await offered(page, name), 0, name);
    await page.keyboard.press("h");
    assert.equal(await page.getByRole("dialog").count(), 0, "nor by its key");
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    await page.getByRole("button", { name: "Take it on" }).click();
    await page.getByRole("button", { name: "Reveal phone" }).click();
    await page.getByRole("textbox", { name: "What do you need it for?" }).fill("Calling back");
    await page.keyboard.press("Enter");
    await page.getByText("+1 202-555-0143").waitFor();
    await page.getByRole("button", { name: "Hand over" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Done" }).click();
    await page.keyboard.type("A crew replaced the lamp; it was on Elm Street.");
    await page.getByRole("checkbox", { name: /^The line was right/ }).uncheck();
    await page.getByRole("button", { name: "Close as done" }).click();
    await page.getByText("The line was not right.").waitFor();
    await page.goto(`${mock.url}/#/overview`);
    await page.getByRole("region", { name: "Questions without a page" }).getByText("Can I keep bees?").first().waitFor();
    assert.equal(await page.getByRole("link", { name: /^Answer it/ }).count(), 0);
    assert.deepEqual(mock.forbidden, []);
  });

  test("a supervisor comes to who needs help, listens, whispers, and reads how the line is doing", as("supervisor"), async ({ page, mock, made }) => {
    await sees(page, mock, ["Phone", "Try words", "Oversight"]);
    await page.getByRole("link", { name: /emergency|danger/i }).first().or(page.locator(`[data-call="${made.urgent.id}"]`)).first().click();
    await until("the urgent call to be open", () => page.url().includes(made.urgent.id));
    await page.getByRole("button", { name: "Listen", exact: true }).click();
    await until("the sound to flow", () => mock.desk.listeners === 1);
    await page.getByRole("button", { name: "Stop listening" }).click();
    await page.getByRole("button", { name: "Whisper" }).click();
    await page.getByRole("dialog").getByRole("textbox").first().fill("Help is on its way.");
    await page.getByRole("dialog").getByRole("button", { name: /say|send|whisper/i }).last().click();
    await until("the whisper", () => mock.desk.whispers.length === 1);
    assert.ok((await offered(page, "Hang up")) > 0);
    await open(page, mock, made.old);
    const judged = page.getByRole("region", { name: "Was the line right?" });
    await judged.getByText("Nobody has said so yet.").waitFor();
    await judged.getByRole("button", { name: "It was not" }).click();
    await judged.getByText("It was not right, says local-admin").waitFor();
    assert.equal(mock.judgements.get(made.old.id).at(-1).line_was_right, false);
    await page.goto(`${mock.url}/#/overview`);
    await page.getByRole("figure", { name: "Answer time" }).waitFor();
    await page.getByRole("figure", { name: "Served without a person" }).waitFor();
    assert.equal(await page.getByRole("link", { name: /^Answer it/ }).count(), 0);
    assert.equal(await page.getByRole("heading", { name: "How right the agents were" }).count(), 0);
    assert.deepEqual(mock.forbidden, []);
  });

  test("a tenant's administrator answers what no page did, sets the hours, and sees no other office", as("tenant-admin"), async ({ page, mock }) => {
    await sees(page, mock, ["Phone", "Try words", "Oversight", "Settings", "Audit"]);
    await page.goto(`${mock.url}/#/overview`);
    await page.getByRole("link", { name: /^Answer it with a page: Can I keep bees/ }).click();
    await page.getByRole("button", { name: "Write a page" }).click();
    await page.keyboard.type("Two hives a lot.");
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.getByText("Kept. The line answers from it").waitFor();
    await page.goto(`${mock.url}/#/settings`);
    await page.getByLabel("Saturday").fill("9:00-12:00");
    assert.equal(await page.getByRole("combobox", { name: "Office", exact: true }).count(), 0, "there is one office");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied.", { exact: true }).waitFor();
    assert.equal(mock.configs.get("0197-t").document.hours.saturday, "9:00-12:00");
    await page.goto(`${mock.url}/#/audit`);
    await page.locator("[data-entry]").getByText("settings.changed").waitFor();
    await page.goto(`${mock.url}/#/overview`);
    const records = page.getByRole("region", { name: "Records of the agents" });
    await records.getByText("Front desk, Intake").waitFor();
    assert.match((await records.getByRole("row").last().textContent()) ?? "", /1275 %10 %1$/);
    assert.deepEqual(mock.forbidden, []);
  });

  test("an auditor reads who did what, verifies it, hears a recording, and changes nothing", as("auditor"), async ({ page, mock, made }) => {
    await sees(page, mock, ["Try words", "Oversight", "Audit"]);
    await page.goto(`${mock.url}/#/audit`);
    await page.locator("[data-entry]").getByText("personal.revealed").waitFor();
    await page.getByLabel("Only this act").fill("nothing.such");
    await page.getByText("None.", { exact: true }).waitFor();
    await page.getByLabel("Only this act").fill("");
    await page.getByLabel("Only of this person").fill("ana");
    await page.locator("[data-entry]").getByText("personal.revealed").waitFor();
    await page.getByLabel("Only of this person").fill("nobody");
    await page.getByText("None.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("Whole: 1 entries are as they were written.").waitFor();
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    await page.getByRole("heading", { name: "Street light out on Oak Street" }).waitFor();
    for (const name of ["Take it on", "Done", "Decline", "Reveal phone"]) assert.equal(await offered(page, name), 0, name);
    await open(page, mock, made.live);
    for (const name of ["Listen", "Take over", "Hang up"]) assert.equal(await offered(page, name), 0, name);
    await open(page, mock, made.old);
    await page.getByRole("region", { name: "Was the line right?" }).waitFor();
    assert.equal(await offered(page, "It was right"), 0);
    await page.getByRole("button", { name: /^Play/ }).waitFor();
    await page.goto(`${mock.url}/#/knowledge`);
    await page.getByRole("heading", { name: "Try a question" }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Add or replace a document" }).count(), 0);
    assert.deepEqual(mock.forbidden, []);
  });

  test("a platform administrator sets up another office from its file", as("platform-admin"), async ({ page, mock }) => {
    await sees(page, mock, ["Phone", "Try words", "Oversight", "Settings", "Audit"]);
    await page.goto(`${mock.url}/#/settings`);
    await page.getByRole("main").getByRole("combobox", { name: "Office", exact: true }).selectOption("City of Oakdale");
    await until("the other office", async () => (await page.getByLabel("Name").first().inputValue()) === "City of Oakdale");
    await page.getByRole("button", { name: "File" }).click();
    const file = page.getByRole("textbox", { name: /^TOML/ });
    await until("the file", async () => (await file.inputValue()).includes("City of Oakdale"));
    await file.fill("");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("One thing is wrong:").waitFor();
    await file.fill('name = "City of Oakdale Springs"\n');
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("name: City of Oakdale becomes City of Oakdale Springs").waitFor();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied.", { exact: true }).waitFor();
    assert.equal(mock.configs.get("0197-t2").document.name, "City of Oakdale Springs");
    assert.equal(mock.configs.get("0197-t").document.name, "Riverbend County", "and the first one is as it was");
    assert.deepEqual(mock.forbidden, []);
  });
});
