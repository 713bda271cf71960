// Settings: an office as fields and as a file, checked, applied and taken back; and the audit.

import assert from "node:assert/strict";

import { assertAccessible } from "./lib/axe.mjs";
import { until } from "./lib/browser.mjs";
import { consoleSuite, everyLook } from "./lib/suite.mjs";
import { entry } from "./mock/settings.mjs";

const riverbend = (mock) => mock.configs.get("0197-t");

consoleSuite("settings", (test) => {
  test("say where something is wrong, what would change, and are applied and taken back", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    const phone = page.getByLabel("Telephone of the office");
    await until("the document", async () => (await phone.inputValue()) === "202-555-0170");
    await phone.fill("five");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("One thing is wrong:").waitFor();
    assert.equal(await phone.getAttribute("aria-invalid"), "true");
    await page.getByText('This is no telephone number: "five".').waitFor();
    assert.equal(await page.getByRole("button", { name: "Apply" }).count(), 0, "nothing that is wrong can be applied");
    await phone.fill("202-555-0199");
    await page.getByLabel("Friday", { exact: true }).fill("");
    await page.getByLabel("End of the greeting, English").fill("What can we do for you?");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("office.phone: 202-555-0170 becomes 202-555-0199").waitFor();
    await page.getByText("hours.friday: 8:00-12:00 becomes nothing").waitFor();
    assert.equal(riverbend(mock).version, "v1", "checking changes nothing");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied.", { exact: true }).waitFor();
    assert.deepEqual(riverbend(mock).document.wording, { en: { greeting_question: ["What can we do for you?"] } });
    assert.equal("friday" in riverbend(mock).document.hours, false);
    await page.getByRole("button", { name: "Take it back" }).click();
    await until("what held before", () => riverbend(mock).document.office.phone === "202-555-0170" && riverbend(mock).version === "v3");
    await until("nothing more to take back", async () => (await page.getByRole("button", { name: "Take it back" }).count()) === 0);
  });

  test("make another office, and lay down its file", { prepare: (mock) => void (mock.role = "platform-admin") }, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByRole("button", { name: "New office" }).click();
    await page.getByLabel("Name", { exact: true }).fill("City of Oakdale");
    await page.getByLabel("Short name").fill("riverbend");
    await assertAccessible(page, "a new office");
    await page.getByRole("button", { name: "Make the office" }).click();
    await page.getByRole("alert").getByText("That slug is taken.").waitFor();
    await page.getByLabel("Short name").fill("oakdale");
    await page.keyboard.press("Enter");
    const file = page.getByRole("textbox", { name: /^TOML/ });
    await until("its file", async () => (await file.inputValue()).includes("oakdale"));
    await page.getByRole("banner").getByRole("combobox", { name: "Office" }).waitFor();
    const toml = 'name = "City of Oakdale Springs"\n';
    await page.getByLabel("From a file").setInputFiles({ name: "oakdale.toml", mimeType: "application/toml", buffer: Buffer.from(toml) });
    await until("the chosen file", async () => (await file.inputValue()) === toml);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("name: City of Oakdale becomes City of Oakdale Springs").waitFor();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied.", { exact: true }).waitFor();
    assert.equal(mock.configs.get("0197-oakdale").document.name, "City of Oakdale Springs");
    assert.equal(riverbend(mock).document.name, "Riverbend County");
  });

  test("tell who changed what, and go back to an earlier version", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByLabel("Address", { exact: true }).fill("3 Mill Road");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page.locator("[data-version='2']").getByText("office.address: 2 Mill Road becomes 3 Mill Road").waitFor();
    await page.getByRole("button", { name: "Go back to version 1" }).click();
    const asked = page.getByRole("dialog", { name: "Go back to version 1?" });
    await asked.getByText("office.address: 3 Mill Road becomes 2 Mill Road").waitFor();
    await asked.getByRole("button", { name: "Go back" }).click();
    await page.getByText("Version 1 holds again, from the next call on. It is kept as version 3.").waitFor();
    await page.locator("[data-version='3']").getByText("goes back to version 1").waitFor();
    assert.equal(riverbend(mock).document.office.address, "2 Mill Road");
    await page.getByRole("button", { name: "Go back to version 3" }).click();
    await page.getByText("It is what holds now: there is nothing to change.").waitFor();
  });

  test("add a line, take one out, and put claims from a table", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByRole("button", { name: "Add a line" }).click();
    const added = page.getByRole("group", { name: "line 2" });
    await added.getByLabel("Name").fill("Utility line");
    await page.getByRole("group", { name: "line Utility line" }).getByLabel("Listening and recording").selectOption("ask");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("line[2].number", { exact: true }).waitFor();
    await page.getByRole("group", { name: "line Utility line" }).getByLabel("Number").fill("+12025550172");
    const table = (text) => page.getByLabel("From a table (CSV)", { exact: true }).setInputFiles({ name: "claims.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await table("claim_number,ssn\nCLM-1,2");
    await page.getByText("There is no column “ssn”").waitFor();
    await table('claim_number,status_text,pin\nCLM-30001,"Under review, a letter soon",4417\nCLM-30002,Paid,\n');
    await page.getByText("2 claims to be applied.").waitFor();
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("2 claims are put").waitFor();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied.", { exact: true }).waitFor();
    assert.deepEqual(mock.claims, [{ claim_number: "CLM-30001", status_text: "Under review, a letter soon", pin: "4417" }, { claim_number: "CLM-30002", status_text: "Paid" }]);
    assert.deepEqual(riverbend(mock).document.line[1], { name: "Utility line", recording_consent: "ask", number: "+12025550172" });
    // Not given out again, once the document was read anew.
    await page.getByText("claims to be applied").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Take out Utility line" }).click();
    assert.equal(await page.getByRole("group", { name: /^line / }).count(), 1);
  });

  test("put a target where callers go, by keyboard alone, with notes only while it is warm", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    const { keyboard } = page;
    const row = page.locator("[data-target='1']");
    const field = (label) => row.getByRole(/^(Transfer|Notes)/.test(label) ? "combobox" : "textbox", { name: label, exact: true });
    const focused = (what, found) => until(what, () => found.evaluate((one) => one === document.activeElement));
    const tabTo = async (label) => {
      await keyboard.press("Tab");
      await focused(label, field(label));
    };
    const add = page.getByRole("button", { name: "Add a target" });
    await add.focus();
    await keyboard.press("Enter");
    await focused("the name", field("Name"));
    await keyboard.type("the clerk's office");
    await keyboard.press("Enter");
    await row.getByText("One thing is wrong.", { exact: true }).waitFor();
    await row.getByText("This is no telephone number.").waitFor();
    assert.equal(await field("Number").getAttribute("aria-invalid"), "true");
    assert.equal(await field("Notes of the talk").count(), 0, "no notes of a cold transfer");
    await tabTo("Number");
    await keyboard.type("+12025550180");
    await tabTo("Transfer");
    await keyboard.press("ArrowDown");
    await tabTo("Notes of the talk");
    await keyboard.press("ArrowDown");
    await row.getByText("Callers are told before the two talk that notes are taken, and may say no").waitFor();
    assert.equal(await field("SIP address").count(), 0, "a warm target is not referred to");
    await field("Lines").fill("2");
    await field("Friday").fill("8:00-12:00");
    await field("Subjects").fill("property taxes, !");
    await keyboard.press("Enter");
    await row.getByText("Entry 2 has no words: callers say them.").waitFor();
    await field("Subjects").fill("property taxes");
    await keyboard.press("Enter");
    await page.getByRole("button", { name: "Apply" }).focus();
    await keyboard.press("Enter");
    await page.getByText("Applied.", { exact: true }).waitFor();
    const kept = { name: "the clerk's office", number: "+12025550180", warm: true, notes: true, lines: 2, hours: { friday: "8:00-12:00" }, subjects: ["property taxes"] };
    assert.deepEqual(riverbend(mock).document.target, [kept]);
    await row.getByText("+1 202-555-0180 · warm, with notes · 2 people · its own hours", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Close the clerk's office" }).click();
    await until("its fields to be gone", async () => (await field("Name").count()) === 0);
    await row.getByRole("button", { name: "Edit the clerk's office" }).click();
    await field("Transfer").selectOption("no");
    await until("notes to be gone", async () => (await field("Notes of the talk").count()) === 0);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("target[1].notes: true becomes nothing").waitFor();
    // Who is first is offered first.
    await add.click();
    const second = page.locator("[data-target='2']");
    await second.getByRole("textbox", { name: "Name", exact: true }).fill("roads");
    await second.getByRole("textbox", { name: "Number", exact: true }).fill("+12025550181");
    const up = second.getByRole("button", { name: "Move up roads" });
    await up.focus();
    await keyboard.press("Enter");
    await focused("the one that was moved", row.getByRole("button", { name: "Close roads" }));
    assert.equal(await row.getByRole("button", { name: /^Move up/ }).count(), 0, "nothing is above the first");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied.", { exact: true }).waitFor();
    assert.deepEqual(riverbend(mock).document.target.map(({ name }) => name), ["roads", "the clerk's office"]);
    await row.getByRole("button", { name: "Take out roads" }).click();
    await row.getByRole("button", { name: "Take out the clerk's office" }).click();
    await page.getByText("None: callers are offered a callback.").waitFor();
    await focused("the button that adds one", add);
  });

  test("take holidays, and single times from a table", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByRole("button", { name: "Add a holiday" }).click();
    await page.getByLabel("Date", { exact: true }).fill("2026-12-25");
    await page.getByRole("group", { name: "holiday" }).getByLabel("Name").fill("Christmas Day");
    const table = (text) => page.getByLabel("Times from a table (CSV)").setInputFiles({ name: "times.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await table("date,hour\n2027-03-01,9");
    await page.getByText("There is no column “hour”").waitFor();
    await table("date;time;label;count\n2027-03-01;9:00;permit review;2\n2027-03-01;10:30;;\n");
    await page.getByText("2 times.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied.", { exact: true }).waitFor();
    assert.deepEqual(riverbend(mock).document.slot, [{ date: "2027-03-01", time: "9:00", label: "permit review", count: 2 }, { date: "2027-03-01", time: "10:30" }]);
    assert.deepEqual(riverbend(mock).document.holiday, [{ date: "2026-12-25", name: "Christmas Day" }]);
  });

  test("say so where somebody else was quicker", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByLabel("Address", { exact: true }).fill("3 Mill Road");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "Apply" }).waitFor();
    riverbend(mock).version = "v9";
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("alert").getByText("The document was changed meanwhile.").waitFor();
    assert.equal(await page.getByLabel("Address", { exact: true }).inputValue(), "3 Mill Road", "what was written stays");
  });

  test("add people and tokens, show a link and a secret once, and take them away after a question", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByRole("button", { name: "People" }).click();
    await page.locator("[data-user=ana]").waitFor();
    await page.getByLabel("Login").fill("ana");
    await page.getByLabel("Full name").fill("Ana Again");
    await page.getByRole("button", { name: "Add a person" }).click();
    await page.getByRole("alert").getByText("This login is taken.").waitFor();
    await page.getByLabel("Login").fill("kim");
    await page.getByLabel("Full name").fill("Kim Lee");
    await page.keyboard.press("Enter");
    await page.locator("[data-user=kim]").getByText("kim · Clerk").waitFor();
    await page.getByRole("button", { name: "Sign-in link for kim" }).click();
    await page.getByText(`${mock.url}/sign-in?token=for-kim`).waitFor();
    await page.getByLabel("Name of the program").fill("dashboard");
    await page.getByRole("button", { name: "Make a token for 90 days" }).click();
    await page.getByText("qv_once_only").waitFor();
    await page.getByRole("button", { name: "Remove kim" }).click();
    await page.getByRole("dialog", { name: "Remove kim?" }).getByRole("button", { name: "Remove" }).click();
    await until("kim to be gone", async () => (await page.locator("[data-user=kim]").count()) === 0 && mock.users.length === 2);
    await page.getByRole("button", { name: "Fields" }).click();
    await page.getByRole("button", { name: "People" }).click();
    assert.equal(await page.getByText("qv_once_only").count(), 0);
  });

  test("add and remove those who run the platform, of whom the last with a name stays", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByRole("button", { name: "Platform", exact: true }).click();
    await page.locator("[data-user=local-admin]").getByText("Whoever holds the machine; cannot be removed.").waitFor();
    assert.equal(await page.locator("[data-user=local-admin]").getByRole("button").count(), 0);
    assert.equal(await page.locator("[data-user=ana]").count(), 0, "nobody of an office is among them");
    const add = async (login) => {
      await page.getByLabel("Login").fill(login);
      await page.getByLabel("Full name").fill(login);
      await page.getByRole("button", { name: "Add an administrator" }).click();
      await page.locator(`[data-user=${login}]`).getByText(`${login} · Platform admin`).waitFor();
    };
    await add("sam");
    assert.equal(mock.administrators.at(-1).tenant, null);
    await page.locator("[data-user=sam]").getByText("The last one: add another first.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Remove sam" }).count(), 0);
    await add("kim");
    await page.getByRole("button", { name: "Sign-in link for kim" }).click();
    await page.getByText(`${mock.url}/sign-in?token=for-kim`).waitFor();
    await page.getByRole("button", { name: "Remove sam" }).click();
    await page.getByRole("dialog", { name: "Remove sam?" }).getByRole("button", { name: "Remove" }).click();
    await until("sam to be gone", async () => (await page.locator("[data-user=sam]").count()) === 0);
    // Somebody else was quicker: the page still offers what the gateway refuses, and says what to do.
    await add("lee");
    mock.administrators = mock.administrators.filter(({ login }) => login !== "kim");
    await page.getByRole("button", { name: "Remove lee" }).click();
    await page.getByRole("dialog", { name: "Remove lee?" }).getByRole("button", { name: "Remove" }).click();
    await page.getByRole("alert").getByText("Lee is the last platform administrator with a name of their own. Add another platform administrator first, then remove this one.").waitFor();
    assert.deepEqual(mock.administrators.map(({ login }) => login), ["local-admin", "lee"]);
    await page.goto(`${mock.url}/#/audit`);
    await page.getByRole("button", { name: "Of the platform" }).click();
    await until("what was done", async () => (await page.locator("[data-entry]").getByText("user.created").count()) === 3);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("Whole: 3 entries").waitFor();
    await page.getByRole("button", { name: "Of this office" }).click();
    await page.getByText("None.", { exact: true }).waitFor();
  });

  const own = { prepare: (mock) => void (mock.role = "tenant-admin") };
  test("of one office show nothing of the platform", own, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByRole("button", { name: "People" }).click();
    await page.locator("[data-user=ana]").waitFor();
    for (const name of ["Platform", "New office"]) assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
    await page.getByRole("combobox", { name: "Role", exact: true }).waitFor();
    assert.equal((await page.getByRole("combobox", { name: "Role", exact: true }).textContent()).includes("Platform"), false);
    await page.goto(`${mock.url}/#/audit`);
    await page.getByRole("heading", { name: "Entries" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Of the platform" }).count(), 0);
    assert.deepEqual(mock.forbidden, []);
  });

  const two = { prepare: (mock) => mock.tenants.push({ id: "0197-t2", slug: "oakdale", name: "City of Oakdale" }) };
  test("of the office that was chosen at the top, which every request names", two, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    const named = [];
    // What the page before asked for late is not the new one's.
    page.on("framenavigated", () => (named.length = 0));
    page.on("request", (request) => request.url().includes("/v1/") && named.push(request.headers()["x-tenant"]));
    const top = page.getByRole("banner").getByLabel("Office");
    assert.equal(await top.inputValue(), "0197-t");
    await top.selectOption("0197-t2");
    await until("the other office", async () => (await page.getByRole("main").getByRole("combobox", { name: /^Office/ }).inputValue().catch(() => "")) === "0197-t2");
    await until("its document", async () => (await page.getByLabel("Name", { exact: true }).first().inputValue()) === "City of Oakdale");
    assert.ok(named.length > 2 && named.every((id) => id === "0197-t2"), named.join());
  });

  const full = { prepare: (mock) => (mock.tenants.push({ id: "0197-t2", slug: "oakdale", name: "City of Oakdale" }), mock.audit.push(entry(mock, "work_item.changed", "item"))) };
  everyLook(test, "are accessible and fit", full, async ({ page, mock, look }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByLabel("Telephone of the office").fill("x");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("One thing is wrong:").waitFor();
    await look("settings");
    await page.getByRole("button", { name: "Add a target" }).click();
    await page.getByRole("combobox", { name: "Transfer", exact: true }).selectOption("yes");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("2 things are wrong.", { exact: true }).waitFor();
    await look("targets");
    await page.getByRole("button", { name: "People" }).click();
    await page.locator("[data-user=ana]").waitFor();
    await look("people");
    await page.getByRole("button", { name: "Platform", exact: true }).click();
    await page.locator("[data-user=local-admin]").waitFor();
    await look("platform");
    await page.goto(`${mock.url}/#/audit`);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("Whole: 1 entries").waitFor();
    await look("audit");
  });
});
