// A working day at the desk, and five people's days, against a real gateway on SQLite and on PostgreSQL, with ten calls on the
// line. Nothing is a mock but the carrier that places calls (`lib/carrier.mjs`). What it needs: see `lib/office.mjs`.
//
// The calls "of last week" are held when the test begins, and their times are set back in the database.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { assertAccessible } from "./lib/axe.mjs";
import { signIn, until } from "./lib/browser.mjs";
import { fiveDays } from "./lib/five-days.mjs";
import { BACK_ENDS, openOffice } from "./lib/office.mjs";

const GUIDE = new URL("../../docs/guides/county-from-a-file.md", import.meta.url);
const CALLER = "+12025550147";
const OWN_PHONE = "+12025550190";
const PASSWORD = "four words nobody joins";
/** What was asked last week: some of it is played again today, one is looked for, and one is still waited for. */
const PLAYED_AGAIN = ["When is the permit office open?", "What do I need for a building permit?"];
const LOOKED_FOR = "How do I get rid of an old couch?";
const WAITED_FOR = "A person, please.";
const LAST_WEEK = [...PLAYED_AGAIN, LOOKED_FOR, WAITED_FOR];
/** A call and the work after it, on a machine that has ten others. */
const CALL_MS = 90_000;

/** Counts the tones that the page makes. */
const countTones = () => {
  globalThis.tones = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function counted(...args) {
    globalThis.tones += 1;
    return start.apply(this, args);
  };
};

// One after the other: twenty calls at once are more than two cores of a slow machine hear in time.
describe("working days", { concurrency: 1 }, () => {
  for (const backEnd of BACK_ENDS) {
    describe(`a working day on ${backEnd}`, { concurrency: 1 }, () => {
      let office;
      let page;
      before(async () => {
        office = await openOffice(backEnd, { [OWN_PHONE]: { key: "1" }, [CALLER]: { ms: 300 } });
      });
      after(() => office?.close());

      const screen = async (key, name) => {
        await page.keyboard.press(key);
        await page.getByRole("heading", { level: 1, name }).waitFor({ state: "attached" });
      };
      const picture = (name) => office.picture(page, name);
      const ended = async (call, what) => assert.equal(await call.ended, 0, `${what}:\n${call.text()}`);

      async function someoneNewSignsIn() {
        await signIn(page, await office.newPerson("robin", "Robin Vale", "platform-admin"));
        await page.goto(`${office.url}/#/account`);
        await page.getByLabel("New password").fill(PASSWORD);
        await page.keyboard.press("Enter");
        await page.getByText("Done. Your other sessions have ended.").waitFor();
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByLabel("Login").fill("robin");
        await picture("sign-in");
        await page.keyboard.press("Tab");
        await page.keyboard.type(PASSWORD);
        await page.keyboard.press("Enter");
        await page.getByRole("banner").waitFor();
        await page.getByText("Choose a call").or(page.getByText("Make a call")).first().waitFor();
      }

      /** Calls that were recorded as they were held; where they are. */
      async function lastWeek() {
        const recordings = join(office.folder, "recordings");
        await mkdir(recordings);
        const calls = LAST_WEEK.map((words, n) =>
          office.call(`+1202555016${n}`, [words], ...(PLAYED_AGAIN.includes(words) ? ["--save-stereo", join(recordings, `${n}.wav`)] : [])),
        );
        await Promise.all(calls.map((call) => ended(call, "a call of last week")));
        await office.ageByAWeek();
        return recordings;
      }

      it("is worked from the first sign-in to a second county", async () => {
        page = await office.openPage();
        try {
          await page.addInitScript(countTones);
          const [recordings] = await Promise.all([lastWeek(), someoneNewSignsIn()]);

          // Ten calls, and a caller who does not hear the greeting out.
          const line = office.replay(recordings, 10);
          const live = page.locator("[data-call][data-state=live]");
          await page.keyboard.press("c");
          await until("ten calls on the line", async () => (await live.count()) >= 10, CALL_MS);
          await page.getByRole("banner").getByText(/^1\d live$/).first().waitFor();
          await picture("ten-calls");
          const quiet = await page.evaluate(() => globalThis.tones);
          const fire = office.call(CALLER, ["There is a fire in my kitchen!"], "--wait", "2500");
          await until("the caller in danger at the top", async () => (await live.first().innerText()).includes("Tells of an emergency"), CALL_MS);
          await until("the alarm", async () => (await page.evaluate(() => globalThis.tones)) >= quiet + 4, CALL_MS);
          await until("the sign in the title", async () => (await page.title()).startsWith("⚠ (1) "));
          await picture("fire");
          await page.keyboard.press("j");
          const selected = page.getByRole("article", { name: "Selected call" });
          await selected.getByText("There is a fire in my kitchen").first().waitFor();
          await selected.getByText("Hang up now and dial 911.").first().waitFor();
          await until("the title to be calm", async () => (await page.title()).startsWith("Calls"));
          assert.ok((await live.count()) >= 10, "the others go on");
          await picture("fire-call");
          await ended(fire, "the caller in danger");
          const fireCall = page.url();

          // The request that it left.
          await screen("w", "Requests");
          const row = page.locator("[data-work]").filter({ hasText: "The caller spoke of danger" });
          await row.waitFor({ timeout: CALL_MS });
          assert.equal(await page.locator("[data-work]").count(), 2, "one for each caller who needs somebody");
          await picture("requests");
          await page.keyboard.press("j");
          await page.keyboard.press("Enter");
          await page.getByRole("button", { name: "Take it on" }).press("Enter");
          await page.getByText("You have it now.").waitFor();
          await page.getByRole("button", { name: "Reveal phone" }).press("Enter");
          await page.getByRole("textbox", { name: "What do you need it for?" }).fill("To ask whether help has come");
          await page.keyboard.press("Enter");
          await page.getByText("+1 202-555-0147").waitFor();
          await picture("revealed");
          await page.getByRole("button", { name: "Call back" }).press("Enter");
          await page.getByLabel("Your own phone number").fill(OWN_PHONE);
          await page.keyboard.press("Enter");
          await page.getByText("Your phone is about to ring.").waitFor();
          await page.getByText("reached the caller").waitFor();
          await until("both calls to be over", () => office.carrier.called().every(({ status }) => status === "completed"), CALL_MS);
          assert.deepEqual(office.carrier.called().map(({ from, to }) => [from, to]), [["+12025550100", OWN_PHONE], ["+12025550100", CALLER]]);
          assert.deepEqual(office.carrier.trouble, []);
          await page.getByRole("button", { name: "Done", exact: true }).press("Enter");
          await page.getByLabel("What came of it?").fill("The fire brigade was there in six minutes; nobody was hurt.");
          await page.getByRole("button", { name: "Close as done" }).press("Enter");
          await page.getByText("Closed as done.").waitFor();
          await page.getByRole("heading", { name: "What came of it" }).waitFor();
          await page.getByText("The line was right.").waitFor();
          await assertAccessible(page, "a closed request");
          await picture("closed");
          assert.ok(Number(/\d+/.exec(await page.getByRole("banner").getByText(/^\d+ live$/).first().innerText())[0]) >= 5, "the line was busy all along");
          const played = await line.stop();
          assert.equal(played.calls.failed, 0, line.text());

          await whoDidWhat();
          await whatWasLearned(fireCall);
          await aCallOfLastWeek();
          await howTheLineDoes(played.calls.started + 1);
          await aSecondCounty();
          assert.deepEqual(page.trouble, []);
        } catch (error) {
          await picture("failed").catch(() => undefined);
          throw error;
        } finally {
          await page.context().close();
        }
      });

      fiveDays(() => office);

      async function whoDidWhat() {
        await screen("a", "Audit");
        const entry = (action, more) => page.locator("[data-entry]").filter({ hasText: action }).filter({ hasText: more });
        await page.getByLabel("Only of this person").fill("robin");
        for (const [action, more] of [["work_item.changed", "in_progress"], ["personal.revealed", "phone"], ["work_item.called", "robin"], ["work_item.changed", "done"]]) {
          await entry(action, more).waitFor();
        }
        assert.ok(!(await page.getByRole("main").innerText()).includes(CALLER.slice(2)), "who reads the audit reads no numbers");
        await page.getByRole("button", { name: "Verify" }).press("Enter");
        await page.getByText(/^Whole: \d+ entries are as they were written\.$/).waitFor();
        await picture("audit");
      }

      async function whatWasLearned(fireCall) {
        await page.goto(fireCall);
        const about = page.getByRole("region", { name: "About this call" });
        const learned = about.getByText("People decided: it went well");
        await learned.waitFor({ timeout: CALL_MS });
        await until("what was learned in view", async () => {
          await learned.scrollIntoViewIfNeeded();
          return learned.evaluate((one) => one.getBoundingClientRect().bottom < innerHeight);
        });
        await picture("review");
      }

      async function aCallOfLastWeek() {
        await screen("y", "History");
        await page.getByRole("searchbox").or(page.getByLabel("Words")).first().fill("old couch");
        await page.getByText("1 call", { exact: true }).waitFor();
        const found = page.locator("[data-past]");
        const began = new Date(await found.locator("time").getAttribute("datetime"));
        const days = (Date.now() - began.getTime()) / 86_400_000;
        assert.ok(days > 6.9 && days < 7.1, `it was ${days} days ago`);
        await picture("history");
        await found.getByRole("link").press("Enter");
        const words = page.getByRole("region", { name: "Words of the call" });
        await words.locator("li[data-speaker=caller]").getByText(/old couch/).waitFor();
        await words.locator("li[data-speaker=agent]").getByText(/Solid Waste/).waitFor();
        await picture("last-week");
      }

      async function howTheLineDoes(calls) {
        await screen("o", "Overview");
        const figure = async (name) => (await page.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) }).locator("dd").first().innerText()).trim();
        await until(`${calls} calls to be counted, and those of last week not`, async () => (await figure("Calls")) === String(calls));
        assert.match(await figure("Answer time"), /^\d+\.\d s$/);
        assert.equal(await figure("Open requests"), "1");
        const taken = page.getByRole("region", { name: "What was taken down" });
        await taken.getByText("Person asked for").first().waitFor();
        await page.getByRole("region", { name: "What callers ask" }).getByText(/permit/i).first().waitFor();
        const records = page.getByRole("region", { name: "Records of the agents" });
        await records.getByRole("row").nth(1).waitFor();
        await assertAccessible(page, "the overview");
        await picture("overview");
        await page.getByRole("button", { name: "30 days" }).press("Enter");
        await until("last week's calls to be counted too", async () => (await figure("Calls")) === String(calls + LAST_WEEK.length));
      }

      async function aSecondCounty() {
        const file = join(office.folder, "oakdale.toml");
        // The guide's whole file, and the team that it shows below.
        const [whole, , roads] = (await readFile(GUIDE, "utf8")).split("```toml\n").slice(1).map((block) => block.split("```")[0]);
        assert.match(roads, /^\[\[team\]\]/);
        await writeFile(file, `${whole}\n${roads}`);
        await screen("e", "Settings");
        await page.getByRole("button", { name: "New office" }).press("Enter");
        await page.getByLabel("Name", { exact: true }).fill("Oakdale");
        await page.getByLabel("Short name").fill("oakdale");
        await page.keyboard.press("Enter");
        const text = page.getByRole("textbox", { name: /^TOML/ });
        await until("the file of an office that knows nothing", async () => (await text.inputValue()).includes("oakdale"));
        await page.getByLabel("From a file").setInputFiles(file);
        await until("the file", async () => (await text.inputValue()).includes("Birchwood Lane"));
        await page.getByRole("button", { name: "Check" }).press("Enter");
        await page.getByText("It would change:").waitFor();
        await picture("second-county");
        await page.getByRole("button", { name: "Apply" }).press("Enter");
        await page.getByText("Applied.", { exact: true }).waitFor();
        // Its own team takes its work, and no other office's.
        const takenBy = (tenant) =>
          page.evaluate(async (of) => {
            const body = JSON.stringify({ words: "there is a deep pothole on Mill Road" });
            const answer = await fetch(`/v1/teams/try?tenant=${of}`, { method: "POST", headers: { "content-type": "application/json" }, body });
            return (await answer.json()).team;
          }, tenant);
        assert.equal(await takenBy("oakdale"), "roads");
        assert.equal(await takenBy("riverbend"), "incident_investigation");

        const call = office.call(CALLER, ["What are your office hours?"], "--tenant", "oakdale");
        const chosen = page.getByRole("banner").getByRole("combobox", { name: "Office" });
        // A fresh page shows that office alone.
        await Promise.all([page.waitForEvent("load"), chosen.selectOption("City of Oakdale")]);
        await page.getByRole("banner").waitFor();
        await page.keyboard.press("c");
        const row = page.locator("[data-call][data-state=live]");
        await row.waitFor({ timeout: CALL_MS });
        await row.click();
        const agent = page.getByRole("region", { name: "Words of the call" }).locator("li[data-speaker=agent]");
        await agent.getByText(/City of Oakdale/).first().waitFor({ timeout: CALL_MS });
        await agent.getByText(/Monday through Thursday/).first().waitFor({ timeout: CALL_MS });
        await agent.getByText(/7:30 a\.m\. to 6 p\.m\./).first().waitFor();
        await picture("second-county-call");
        call.stop("SIGINT");
        await call.ended;
        assert.equal(await page.locator("[data-call]").count(), 1, "and none of the first county's");
      }
    });
  }
});
