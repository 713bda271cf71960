// Requests: found, read, worked on and closed, by mouse and by keyboard alone.

import assert from "node:assert/strict";

import { assertAccessible } from "./lib/axe.mjs";
import { shot, until } from "./lib/browser.mjs";
import { consoleSuite, everyLook } from "./lib/suite.mjs";
import { workItem } from "./mock/calls.mjs";
import { exampleCalls } from "./mock/examples.mjs";
import { write } from "./mock/work.mjs";

const examples = { prepare: exampleCalls };
const rows = (page) => page.locator("[data-work]").evaluateAll((all) => all.map((row) => row.dataset.work));
const focused = (page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");

consoleSuite("requests", (test) => {
  test("come with the most pressing first, and say what is late", examples, async ({ page }) => {
    await page.getByRole("link", { name: "Requests" }).first().click();
    await page.locator("[data-work]").first().waitFor();
    assert.deepEqual((await rows(page)).slice(0, 2), ["work-RB-2043", "work-RB-ESC-17"]);
    await page.locator('[data-work="work-RB-ESC-17"]').getByText(/overdue/).waitFor();
    // A title in words, though the gateway gave the bare kind.
    await page.locator('[data-work="work-RB-2043"]').getByText("Smell of gas in a basement").waitFor();
  });

  test("are narrowed by state, kind, words and who has them, and the address keeps it", examples, async ({ page, mock, made }) => {
    const find = (id) => mock.calls.workItems.find((item) => item.id === id);
    write(find("work-RB-INS-2041"), ["done", "done", "ana"], { note: "Booked." }, "ana");
    write(find("work-RB-2042"), ["claimed", "in_progress", "local-admin"]);
    await page.goto(`${mock.url}/#/work`);
    await page.getByText("3 requests").waitFor();
    await page.getByRole("button", { name: "Mine" }).click();
    await until("only mine to show", async () => (await rows(page)).join() === "work-RB-2042");
    await page.getByRole("button", { name: "Mine" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    await until("only the closed to show", async () => (await rows(page)).join() === "work-RB-INS-2041");
    await page.reload();
    await until("the same after a reload", async () => (await rows(page)).join() === "work-RB-INS-2041");
    await page.getByRole("button", { name: "Everything" }).click();
    await page.getByRole("combobox", { name: "Kind" }).selectOption({ label: "Person asked for" });
    await until("one kind to show", async () => (await rows(page)).join() === "work-RB-ESC-17");
    await page.getByRole("combobox", { name: "Kind" }).selectOption("");
    made.live.takeDown("message", "Please call back about parking", "RB-MSG-7", [{ name: "message", value: "parking" }]);
    await page.locator('[data-work="work-RB-MSG-7"]').waitFor();
    await page.getByRole("searchbox", { name: "Words or reference" }).fill("parking");
    await until("what holds the words", async () => (await rows(page)).join() === "work-RB-MSG-7");
    await page.getByRole("searchbox", { name: "Words or reference" }).fill("nothing like it");
    await page.getByText("No request fits this.").waitFor();
  });

  const many = {
    prepare: (mock) => {
      for (let n = 0; n < 500; n += 1) {
        mock.calls.workItems.push(workItem(null, "message", `Message ${n}`, `RB-MSG-${n}`, [{ name: "message", value: `Message ${n}` }], { hours: n + 1 }));
      }
    },
  };
  test("of five hundred come in the order in which they are due, without doubles", many, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/work`);
    await page.getByText("500 requests").waitFor();
    const all = await rows(page);
    assert.equal(new Set(all).size, 500);
    assert.equal(all[0], "work-RB-MSG-0");
    assert.equal(all.at(-1), "work-RB-MSG-499");
    const took = await page.evaluate(async () => {
      const from = performance.now();
      document.querySelector("main > div").scrollTo({ top: 1e6 });
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return performance.now() - from;
    });
    assert.ok(took < 500, `a jump to the end took ${took} ms`);
  });

  test("are taken on, a number is revealed with a reason, called back, closed, and reopened", examples, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    await page.getByRole("heading", { name: "Street light out on Oak Street" }).and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "Take it on" }).click();
    await page.getByText("You have it now.").waitFor();
    await page.getByText("with you").waitFor();
    await page.getByRole("button", { name: "Reveal phone" }).click();
    await page.getByRole("dialog", { name: "See the caller's phone?" }).waitFor();
    await assertAccessible(page, "reveal");
    await shot(page, "reveal");
    await page.getByRole("textbox", { name: "What do you need it for?" }).fill("Calling back");
    await page.keyboard.press("Enter");
    await page.getByText("+1 202-555-0143").waitFor();
    assert.deepEqual(mock.revealed, [{ id: "work-RB-2042", token: "⟨phone:1⟩", reason: "Calling back" }]);
    await page.getByRole("button", { name: "Call back" }).click();
    await page.keyboard.type("+12025550199");
    await page.keyboard.press("Enter");
    await page.getByText("Your phone is about to ring.").waitFor();
    await page.getByText("called the caller back").waitFor();
    assert.deepEqual(mock.dialed, [{ id: "work-RB-2042", from_phone: "+12025550199" }]);
    await page.getByRole("button", { name: "Done" }).click();
    await page.keyboard.type("A crew replaced the lamp.");
    await assertAccessible(page, "closing");
    await page.getByRole("button", { name: "Close as done" }).click();
    await page.getByRole("heading", { name: "What came of it" }).waitFor();
    await page.getByRole("button", { name: "Reopen" }).click();
    await page.keyboard.type("It is out again.");
    await page.locator("form").getByRole("button", { name: "Reopen" }).click();
    await page.getByText("Because: It is out again.").waitFor();
    await page.getByRole("button", { name: "Take it on" }).waitFor();
    // What was revealed is shown here only, until left.
    await page.goto(`${mock.url}/#/calls`);
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    await page.getByRole("button", { name: "Reveal phone" }).waitFor();
    assert.equal(await page.getByText("+1 202-555-0143").count(), 0);
  });

  test("are handed over, declined with a reason, and noted on", examples, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    await page.getByRole("button", { name: "Write a note" }).click();
    await page.keyboard.type("Told the crew.");
    await page.getByRole("button", { name: "Add the note" }).click();
    await page.getByText("Told the crew.").waitFor();
    await page.getByRole("button", { name: "Hand over" }).click();
    const logins = page.locator("#logins option");
    await until("those who may work on it to be offered", async () => (await logins.evaluateAll((all) => all.map((o) => o.value))).join() === "ana");
    await page.keyboard.type("ana");
    await page.keyboard.press("Enter");
    await page.getByText("with ana").waitFor();
    await page.getByText("gave this to ana").waitFor();
    await page.getByRole("button", { name: "Take over from ana" }).click();
    await page.getByText("took this over").waitFor();
    await page.getByRole("button", { name: "Decline" }).click();
    await page.keyboard.type("Told the caller whose it is.");
    await page.getByRole("textbox", { name: "Why is it declined?" }).fill("A state road.");
    // What is declined was not rightly taken down, until whoever declines it says so.
    const right = page.getByRole("checkbox", { name: /^The line was right/ });
    assert.equal(await right.isChecked(), false);
    await right.check();
    await page.locator("form").getByRole("button", { name: "Decline" }).click();
    await page.getByText("Because: A state road.").waitFor();
    await page.getByText("The line was right.", { exact: true }).waitFor();
  });

  test("say who has one that somebody else took on first", examples, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    const take = page.getByRole("button", { name: "Take it on" });
    await take.waitFor();
    const item = mock.calls.workItems.find((known) => known.id === "work-RB-2042");
    write(item, ["claimed", "in_progress", "ana"], {}, "ana");
    await take.click();
    await page.getByRole("alert").getByText("ana has this request.").waitFor();
    // And the page shows it as it stands.
    await page.getByText("with ana").waitFor();
    await page.getByRole("button", { name: "Take over from ana" }).waitFor();
  });

  test("keep what was written when somebody took the request meanwhile", examples, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    await page.getByRole("button", { name: "Done" }).click();
    await page.keyboard.type("Lamp replaced.");
    const item = mock.calls.workItems.find((known) => known.id === "work-RB-2042");
    write(item, ["assigned", "in_progress", "ana"], {}, "ana");
    await page.getByRole("button", { name: "Close as done" }).click();
    await page.getByRole("alert").getByText("ana has this request.").waitFor();
    await page.getByRole("button", { name: "Take over from ana" }).waitFor();
    assert.equal(await page.locator("textarea").inputValue(), "Lamp replaced.");
  });

  const closed = {
    prepare: (mock) => {
      for (let n = 0; n < 450; n += 1) {
        const item = workItem(null, "message", `Message ${n}`, `RB-MSG-${n}`, [{ name: "message", value: `Message ${n}` }]);
        mock.calls.workItems.push(Object.assign(item, { status: "done", assignee: "ana" }));
      }
    },
  };
  test("that are closed come page by page, without doubles", closed, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/work?show=done`);
    await page.getByText("200 or more requests").waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("400 or more requests").waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("450 requests").waitFor();
    assert.equal(new Set(await rows(page)).size, 450);
  });

  test("are worked by keyboard alone, and the focus is kept", examples, async ({ page, mock }) => {
    await page.locator("[data-feed=live]").waitFor();
    await page.keyboard.press("w");
    await page.locator("[data-work]").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    assert.match(await focused(page), /Claim denial/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Claim denial" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Take it on");
    await page.keyboard.press("Enter");
    await page.getByText("You have it now.").waitFor();
    assert.equal(await focused(page), "What to do");
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Done");
    await page.keyboard.press("Enter");
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await focused(page), "Done");
    await page.getByRole("link", { name: "All requests" }).focus();
    await page.keyboard.press("Enter");
    await until("the focus to be on the row that was left", async () => /Claim denial/.test(await focused(page)));
    assert.equal(mock.calls.workItems.find((item) => item.id === "work-RB-ESC-17").assignee, "local-admin");
  });

  const auditor = {
    prepare: (mock) => {
      mock.role = "auditor";
      return exampleCalls(mock);
    },
  };
  test("show an auditor everything but what they may not do", auditor, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    await page.getByText("phone hidden").waitFor();
    assert.equal(await page.getByRole("button", { name: /Reveal|Take it on|Done|note/ }).count(), 0);
  });

  const bare = {
    prepare: (mock) => {
      mock.paths = {};
      return exampleCalls(mock);
    },
  };
  test("offer no call where the gateway cannot make one", bare, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    await page.getByRole("button", { name: "Take it on" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Call back" }).count(), 0);
  });

  everyLook(test, "are accessible and fit", examples, async ({ page, mock, look }) => {
    await page.goto(`${mock.url}/#/work`);
    await page.locator("[data-work]").first().waitFor();
    await look("requests");
    const item = mock.calls.workItems.find((known) => known.id === "work-RB-2042");
    write(item, ["claimed", "in_progress", "ana"], {}, "ana");
    write(item, ["noted", "in_progress", "ana"], { note: "The caller is reached at ⟨phone:1⟩ after four." }, "ana");
    await page.goto(`${mock.url}/#/work/work-RB-2042`);
    await page.getByText("wrote a note").waitFor();
    await look("request");
  });
});
