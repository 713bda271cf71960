// The gateway dies by `kill -9` while people are in the midst of calls, in all states at once. The next one, on the same data, has
// the truth on record, and whoever the carrier still has hears something honest.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { signIn, until } from "./browser.mjs";
import { hears, likeness } from "./heard.mjs";
import { recording } from "./speech.mjs";
import { Telephone, time } from "./telephone.mjs";
import { CLERK, TOLD, UNTOLD } from "./town.mjs";
import { channels } from "./wav.mjs";

const OWN_PHONE = "+12025550190";
const IN_DANGER = "+12025550147";
const RECORDED = recording("vm-msgforwarded");
const CUT_OFF = "cut off because of a technical fault";
const TURN_MS = 60_000;

/** A promise, and what keeps it. */
function gate() {
  let open;
  const opened = new Promise((done) => (open = done));
  return { opened, open };
}

/** `given` gives the town, the page of whoever is signed in there as pat and has the request, and what the story before left. */
export function killed(given) {
  describe("killed in mid-call", { concurrency: 1 }, () => {
    let town;
    let page;
    let other;
    let at;
    const rings = gate();
    const clerk = new Telephone(CLERK);

    before(async () => {
      const { numbers, question, supervisor } = given();
      ({ town, page } = given());
      numbers[CLERK] = { key: "1", rings: rings.opened, telephone: clerk };
      numbers[IN_DANGER] = { ms: 300 };
      numbers[OWN_PHONE] = { key: "1", rings: rings.opened, telephone: new Telephone(OWN_PHONE) };
      other = await town.openPage();
      await signIn(other, await town.newPerson("bo", "Bo Lund", "supervisor"));
      const calledBack = await rung(page, town);
      // Each at once on its way: the agent hangs up on whoever says nothing.
      const ways = [[TOLD, listens], [TOLD, takesOver], [UNTOLD, asks], [UNTOLD, waits], [TOLD, isRecorded]];
      const more = [null, supervisor, await question];
      const calls = [];
      const reached = [];
      for (const [n, [line, into]] of ways.entries()) {
        calls.push(await town.dial(`+1202555014${n}`, line));
        reached.push(into(calls[n], more[n]));
        reached[n].catch(() => undefined);
      }
      await Promise.all(reached).catch((error) => {
        throw town.explained(error);
      });
      const [listened, taken, asking, waiting, recorded] = calls;
      const live = await town.ask(`/v1/calls/${listened.id}`);
      assert.equal(live.listeners, 1, JSON.stringify(live));
      await town.picture(page, "before-the-kill");
      at = { listened, taken, asking, waiting, recorded, calledBack, killed: time() };
      await town.gateway.kill();
      await town.gateway.again();
      rings.open();
    });
    after(async () => {
      for (const { telephone } of Object.values(at ?? {}).filter((call) => call.telephone)) telephone.hangUp();
      await other?.context().close();
    });

    // ------------------------------------------------------------ into each state

    const told = (call) => town.untilAnswer("the caller to be told", `/v1/audit?subject=${call.id}&action=call.consent`, ({ items }) => items.length > 0);
    const onCall = (desk) => desk.getByRole("region", { name: "On the call" });

    async function listens(call) {
      await told(call);
      await other.goto(`${town.url}/#/calls/${call.id}`);
      await onCall(other).getByRole("button", { name: "Listen" }).click();
      await onCall(other).getByText("You are listening.").waitFor();
    }
    async function takesOver(call, supervisor) {
      await page.goto(`${town.url}/#/calls/${call.id}`);
      await onCall(page).getByRole("button", { name: "Take over" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Take over" }).click();
      await onCall(page).getByText("You have the call.").waitFor();
      const from = time();
      await until("the caller to hear the supervisor", async () => (await likeness(supervisor, call.telephone.between(from))).likeness > 0.6, 40_000);
    }
    async function asks(call, question) {
      await town.wonders(call, question);
      await call.telephone.quiet(600, 0);
      call.telephone.press("1");
      await town.says(call, "I'm asking them now.", TURN_MS);
      // Asked they are when that was said; and what is shown is on its way to the record.
      await other.locator(`[data-call="${call.id}"]`).getByText(/Asks the office/).waitFor({ timeout: TURN_MS });
      await new Promise((done) => setTimeout(done, 500));
    }
    async function waits(call) {
      await call.telephone.quiet(800, 0);
      call.telephone.press("0");
      await town.says(call, "I can put you through to the clerk's office.", TURN_MS);
      call.telephone.press("1");
      await until("the clerk's telephone to ring", () => town.carrier.called().some(({ to, status }) => to === CLERK && status === "ringing"), TURN_MS);
      await town.says(call, "One moment while I try the clerk's office.", TURN_MS);
    }
    async function isRecorded(call) {
      await told(call);
      await call.telephone.quiet(800, 0);
      const { to } = await call.telephone.say(RECORDED);
      await call.telephone.quiet(800, to);
    }

    // ------------------------------------------------------------ what is left

    async function interrupted(call) {
      const now = await town.ask(`/v1/calls/${call.id}`);
      assert.deepEqual([now.state, now.end_reason, now.controlled_by ?? null, now.listeners], ["ended", "interrupted", null, 0], JSON.stringify(now));
      const ends = await town.audit(call, "call.ended");
      assert.equal(ends.length, 1, JSON.stringify(ends));
    }
    /** A call back is promised to them where one is on file, and not otherwise. */
    async function heardWhy(call) {
      await until("the caller to be told", () => call.telephone.told.length > 0, 20_000);
      const words = call.telephone.told.join(" ");
      assert.ok(words.includes(CUT_OFF), words);
      const promised = words.includes("A person will call you back");
      assert.notEqual(promised, words.includes("Please call again"), words);
      if (promised) assert.ok((await town.callBacks(call)).length > 0, `nothing is on file, and they heard: ${words}`);
      return promised;
    }
    const one = async (call, action, is) => {
      const entries = (await town.audit(call, action)).filter(({ details }) => details.reason === "interrupted");
      assert.equal(entries.length, 1, `${action}: ${JSON.stringify(entries)}`);
      is(entries[0]);
    };

    it("while a supervisor listens: the listening has its end, and the caller is told", async () => {
      await interrupted(at.listened);
      await one(at.listened, "call.listen_ended", ({ actor }) => assert.equal(actor.id, "bo"));
      await heardWhy(at.listened);
    });

    it("while a supervisor has the call: they have it no more, and the caller is told", async () => {
      await interrupted(at.taken);
      await one(at.taken, "call.control_lost", ({ details }) => assert.equal(details.by, "pat"));
      await heardWhy(at.taken);
      const answer = await fetch(`${town.url}/v1/calls/${at.taken.id}/release`, { method: "POST" });
      assert.ok(!answer.ok, "nobody gives back what is over");
      await page.reload();
      await page.goto(`${town.url}/#/calls/${at.taken.id}`);
      await page.getByRole("article", { name: "Selected call" }).getByText("Ended", { exact: true }).first().waitFor();
      await town.picture(page, "after-the-kill");
    });

    it("while the office is asked: the question is a call back, which is promised", async () => {
      await interrupted(at.asking);
      const filed = await town.callBacks(at.asking);
      assert.ok(filed.some((item) => /opera house/.test(JSON.stringify(item))), JSON.stringify(filed));
      assert.ok(await heardWhy(at.asking), `they heard: ${at.asking.telephone.told.join(" ")}`);
    });

    it("while a person is rung for a caller: the caller is with the agent again, and the person hears that nobody waits", async () => {
      const { telephone } = at.waiting;
      await until("the caller to be on a second stream", () => telephone.onLine, 30_000);
      await town.says(at.waiting, "the call to the clerk's office didn't go through", TURN_MS);
      assert.ok(telephone.loudIn(at.killed) > 1.5, `they heard ${telephone.loudIn(at.killed)} s`);
      await until("the person at the clerk's to be told", () => clerk.told.some((text) => text.includes("not waiting any more")), 30_000).catch((error) => {
        throw new Error(`${error.message}; they heard ${JSON.stringify(clerk.told)}`);
      });
      const now = await town.ask(`/v1/calls/${at.waiting.id}`);
      assert.equal(now.state, "live");
      assert.deepEqual(now.transfers.map(({ stage, result }) => [stage, result]), [["ended", "failed"]]);
      assert.equal((await town.audit(at.waiting, "call.transfer_ended")).length, 1);
      telephone.hangUp();
    });

    it("while a call back rings: whoever answers goes on, and it has one end on record", async () => {
      const { id, acts } = at.calledBack;
      const done = await town.untilAnswer("the call back to have its end", `/v1/work-items/${id}`, ({ history }) => history.length > acts && history.at(-1).act !== "called", 60_000);
      const since = done.history.slice(acts).map(({ act }) => act);
      assert.deepEqual(since, ["called", "call_reached"], JSON.stringify(done.history));
    });

    it("while it records: all but the last second and a bit is kept, and can be played", async () => {
      await interrupted(at.recorded);
      await heardWhy(at.recorded);
      const path = `/v1/calls/${at.recorded.id}/recording`;
      await town.untilAnswer("the recording", `${path}?format=json`, (answer) => answer.recording?.state === "kept");
      const wave = await page.context().request.get(`${town.url}${path}?format=wav`);
      const [caller] = channels(await wave.body());
      await hears("the recording's left side", "the caller's words", RECORDED, caller);
    });

    it("and the audit is whole", async () => {
      const verdict = await town.ask("/v1/audit/verify");
      assert.equal(verdict.whole, true, JSON.stringify(verdict));
    });
  });
}

/** Whoever has the request calls it back, and their own telephone rings. */
async function rung(page, town) {
  const [item] = (await town.ask("/v1/work-items?limit=200")).items.filter(({ assignee }) => assignee === "pat");
  const before = await town.ask(`/v1/work-items/${item.id}`);
  await page.goto(`${town.url}/#/work/${item.id}`);
  await page.getByRole("button", { name: "Call back" }).click();
  await page.getByLabel("Your own phone number").fill(OWN_PHONE);
  await page.keyboard.press("Enter");
  await page.getByText("Your phone is about to ring.").waitFor();
  await until("their own telephone to ring", () => town.carrier.called().some(({ to, status }) => to === OWN_PHONE && status === "ringing"));
  return { id: item.id, acts: before.history.length };
}
