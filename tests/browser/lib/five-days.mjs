// Five people's days against a real gateway: each does their work, is offered what they may and nothing else, and the
// gateway refuses them the rest.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { signIn, until } from "./browser.mjs";

const EVERYWHERE = ["Calls", "Requests", "History", "Overview", "Knowledge"];
const NOBODY = "01900000-0000-7000-8000-000000000000";
const AUDIT = "GET /v1/audit";
const USERS = "GET /v1/users";
const CONFIG = "GET /v1/tenants/riverbend/config";
const OFFICES = "GET /v1/tenants";
const NEW_OFFICE = "POST /v1/tenants";
const RECORDS = "GET /v1/autonomy";
const PAGE = "POST /v1/knowledge/documents";
const PHONE = "POST /v1/phone";
const HANG_UP = `POST /v1/calls/${NOBODY}/hangup`;
const LISTEN = `GET /v1/calls/${NOBODY}/listen`;
const NOTE = `POST /v1/work-items/${NOBODY}/note`;
const REVEAL = `POST /v1/work-items/${NOBODY}/reveal`;
const JUDGE = `POST /v1/calls/${NOBODY}/judgement`;
const JOURNALS = "GET /v1/record";

/** What the gateway answers to whoever is signed in on the page. */
const answerTo = (page, asked, headers = {}) =>
  page.evaluate(
    async ([method, path, more]) => {
      const body = method === "GET" ? {} : { body: "{}" };
      return (await fetch(path, { method, headers: { "content-type": "application/json", ...more }, ...body })).status;
    },
    [...asked.split(" "), headers],
  );

/** Every screen that is offered opens, the gateway refuses nothing of it, and the others are not there. */
async function sees(page, more, refused) {
  const denied = [];
  page.on("response", (response) => response.status() === 403 && denied.push(response.url()));
  await page.reload();
  const links = page.getByRole("banner").getByRole("navigation").getByRole("link");
  await links.first().waitFor();
  const names = (await links.allTextContents()).map((text) => text.replace(/\d+ live$/, ""));
  assert.deepEqual([...names].sort(), [...EVERYWHERE, ...more].sort());
  for (const name of names) {
    await links.filter({ hasText: name }).first().click();
    await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
    await until(`${name} to be loaded`, async () => (await page.getByText(/^(Loading|Counting)…$/).count()) === 0);
  }
  assert.deepEqual(denied, [], "no screen asks for what is refused");
  for (const asked of refused) assert.equal(await answerTo(page, asked), 403, asked);
  await page.keyboard.press("c");
}
const offered = (page, name) => page.getByRole("button", { name, exact: true }).count();

/** `office` gives the office once it is open. The story before has left one request open, and a second county. */
export function fiveDays(office) {
  describe("five people's days", { concurrency: 2 }, () => {
    const day = (title, login, role, work) =>
      it(title, async () => {
        const { newPerson, openPage, picture, url } = office();
        const page = await openPage();
        try {
          await signIn(page, await newPerson(login, login, role));
          await work(page, url, (name) => picture(page, `${role}-${name}`));
          assert.deepEqual(page.trouble, []);
        } catch (error) {
          await picture(page, `${role}-failed`).catch(() => undefined);
          throw error;
        } finally {
          await page.context().close();
        }
      });

    day("a clerk works a request to its end, and leaves calls and settings alone", "casey", "clerk", async (page, url, picture) => {
      await sees(page, [], [AUDIT, USERS, CONFIG, RECORDS, PHONE, HANG_UP, LISTEN, PAGE, OFFICES, JOURNALS]);
      await page.goto(`${url}/#/work`);
      await page.locator("[data-work]").filter({ hasText: "Nobody’s yet" }).getByRole("link").click();
      await page.getByRole("button", { name: "Take it on" }).click();
      await page.getByText("You have it now.").waitFor();
      await page.getByRole("button", { name: "Done", exact: true }).click();
      await page.getByLabel("What came of it?").fill("Called from the counter; the matter is settled.");
      await page.getByRole("button", { name: "Close as done" }).click();
      await page.getByText("Closed as done.").waitFor();
      await page.goto(`${url}/#/calls`);
      await page.locator("[data-call]").first().click();
      await page.getByRole("article", { name: "Selected call" }).waitFor();
      for (const name of ["Listen", "Whisper", "Take over", "Hang up"]) assert.equal(await offered(page, name), 0, name);
      await picture("call");
    });

    day("a supervisor has the agent say a line on a live call, ends it, and says that the line was right", "sam", "supervisor", async (page, url, picture) => {
      await sees(page, ["Phone", "Try words", "Oversight"], [AUDIT, USERS, CONFIG, RECORDS, PAGE, OFFICES, NEW_OFFICE, JOURNALS]);
      const call = office().call("+12025550149", ["Hello?"], "--wait", "120000", "--hangup-after", "60");
      await page.locator("[data-call][data-state=live]").first().click();
      await page.getByRole("button", { name: "Whisper" }).click();
      await page.getByRole("textbox", { name: "Your words" }).fill("Our office is at the corner of Main Street.");
      await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
      await page.getByRole("region", { name: "Events" }).getByText("sam had it say: Our office is at the corner of Main Street.").waitFor();
      // Not only taken: it is what the agent says next, and by the record, which follows the carrier's marks, it was heard to its end.
      const spoken = page.getByRole("region", { name: "Words of the call" }).locator("li[data-speaker=agent]").filter({ hasText: "corner of Main Street" });
      await spoken.waitFor({ timeout: 60_000 });
      const id = page.url().split("/").at(-1);
      await until(
        "the line to be heard to its end",
        async () => {
          const { turns } = await page.evaluate(async (of) => (await fetch(`/v1/calls/${of}/transcript`)).json(), id);
          return turns.some(({ speaker, text, ended_at, interrupted }) => speaker === "agent" && text.includes("corner of Main Street") && ended_at !== null && !interrupted);
        },
        60_000,
      );
      await picture("whispered");
      await page.getByRole("article", { name: "Selected call" }).getByRole("button", { name: "Hang up" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Hang up" }).click();
      await page.locator("[data-call][data-state=ended][aria-current=true]").waitFor({ timeout: 60_000 });
      assert.equal(await call.ended, 0, call.text());
      const judged = page.getByRole("region", { name: "Was the line right?" });
      await judged.getByRole("button", { name: "It was right" }).click();
      await judged.getByText("It was right, says sam").waitFor();
    });

    day("a tenant's administrator sets the hours, adds a person, and sees no other office", "toni", "tenant-admin", async (page, url, picture) => {
      const other = ["GET /v1/tenants/oakdale/config", "GET /v1/calls?tenant=oakdale", "GET /v1/audit?tenant=oakdale"];
      await sees(page, ["Phone", "Try words", "Oversight", "Settings", "Audit"], [OFFICES, NEW_OFFICE, JOURNALS]);
      for (const asked of other) assert.ok([403, 404].includes(await answerTo(page, asked)), asked);
      await page.goto(`${url}/#/settings`);
      await page.getByLabel("Saturday").fill("9:00-12:00");
      assert.equal(await page.getByRole("combobox", { name: "Office", exact: true }).count(), 0, "there is one office");
      assert.equal(await offered(page, "New office"), 0);
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByText("Applied.", { exact: true }).waitFor();
      await page.getByRole("button", { name: "People" }).click();
      await page.getByLabel("Login", { exact: true }).fill("nell");
      await page.getByLabel("Full name").fill("Nell Frost");
      await page.keyboard.press("Enter");
      await page.locator("[data-user=nell]").getByText("Nell Frost").waitFor();
      await picture("people");
      await page.goto(`${url}/#/audit`);
      await page.getByLabel("Only of this person").fill("toni");
      for (const act of ["settings.changed", "user.created"]) await page.locator("[data-entry]").filter({ hasText: act }).first().waitFor();
    });

    day("an auditor reads who did what, verifies it, and changes nothing", "alex", "auditor", async (page, url, picture) => {
      await sees(page, ["Try words", "Oversight", "Audit"], [USERS, CONFIG, PHONE, HANG_UP, LISTEN, NOTE, REVEAL, JUDGE, PAGE, OFFICES, JOURNALS]);
      await page.goto(`${url}/#/audit`);
      await page.getByLabel("Only of this person").fill("robin");
      await page.locator("[data-entry]").filter({ hasText: "work_item.changed" }).first().waitFor();
      await page.getByRole("button", { name: "Verify" }).click();
      await page.getByText(/^Whole: \d+ entries are as they were written\.$/).waitFor();
      await picture("audit");
      await page.goto(`${url}/#/work`);
      await page.getByRole("group", { name: "Which requests" }).getByRole("button", { name: "Done" }).click();
      await page.locator("[data-work]").first().getByRole("link").click();
      await page.getByRole("heading", { name: "What was done" }).waitFor();
      for (const name of ["Take it on", "Done", "Decline", "Reopen", "Write a note"]) assert.equal(await offered(page, name), 0, name);
      assert.equal(await page.getByRole("button", { name: /^Reveal/ }).count(), 0);
    });

    day("a platform administrator sees each office by itself", "pat", "platform-admin", async (page, url, picture) => {
      await sees(page, ["Phone", "Try words", "Oversight", "Settings", "Audit"], []);
      assert.equal(await answerTo(page, OFFICES), 200);
      const chosen = page.getByRole("banner").getByRole("combobox", { name: "Office" });
      const counts = {};
      for (const name of ["City of Oakdale", "Riverbend County"]) {
        await Promise.all([page.waitForEvent("load"), chosen.selectOption(name)]);
        await page.goto(`${url}/#/history`);
        await page.getByText(/^\d+( or more)? calls?$/).waitFor();
        counts[name] = await page.locator("[data-past]").count();
      }
      assert.equal(counts["City of Oakdale"], 1);
      assert.ok(counts["Riverbend County"] > 10);
      await picture("history");
    });
  });
}
