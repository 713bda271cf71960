// The gateway dies by `kill -9` while people are in the midst of calls, in every state at once, on SQLite and on PostgreSQL. The next
// one, on the same data, has the truth on record, and whoever the carrier still has hears something honest.
// What it needs: see `lib/office.mjs`, and QUANDURA_WAV.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { signIn, until } from "./lib/browser.mjs";
import { likeness } from "./lib/heard.mjs";
import { asks, callsBack, isTold, leavesRequest, listens, takesOver, told, TURN_MS, waits } from "./lib/midst.mjs";
import { BACK_ENDS } from "./lib/office.mjs";
import { recording, sentence } from "./lib/speech.mjs";
import { staying } from "./lib/staying.mjs";
import { Telephone, time } from "./lib/telephone.mjs";
import { CLERK, openTown, TOLD, UNTOLD } from "./lib/town.mjs";
import { asMicrophone, channels } from "./lib/wav.mjs";

const OWN_PHONE = "+12025550190";
const IN_DANGER = "+12025550147";
/** What callers hear, in the language of their call: why, and what comes of it. */
const HEARD = {
  en: { why: "cut off because of a technical fault", calledBack: "A person will call you back", callAgain: "Please call again" },
  es: { why: "se cortó por una falla técnica", calledBack: "Una persona le va a llamar", callAgain: "Llame otra vez" },
};
const LINE = "The office on Mill Road is closed today. Please come to the side door on Main Street, ring the bell twice, and wait there for somebody.";
const SUPERVISOR = recording("check-number-dial-again");
/** Said once, right before the kill. */
const LAST_WORDS = recording("vm-msgforwarded");
const [STAYS, STAYS_TOO] = ["conf-noempty", "demo-echodone"].map(recording);
/** What a kill may take of a recording (docs/guides/recording.md), and what a busy machine is behind with. */
const LOST_S = 1.2 + 2;

/** A promise, and what keeps it. */
function gate() {
  let open;
  const opened = new Promise((done) => (open = done));
  return { opened, open };
}

describe("killed in mid-call", { concurrency: 1 }, () => {
  for (const backEnd of BACK_ENDS) {
    describe(`killed in mid-call, on ${backEnd}`, { concurrency: 1 }, () => {
      const rings = gate();
      const clerk = new Telephone(CLERK);
      const numbers = {
        [CLERK]: { key: "1", rings: rings.opened, telephone: clerk },
        [IN_DANGER]: { ms: 300 },
        [OWN_PHONE]: { key: "1", rings: rings.opened, telephone: new Telephone(OWN_PHONE) },
      };
      let town;
      let pat;
      let bo;
      let at;
      before(
        async () => {
          town = await openTown(backEnd, numbers, asMicrophone({ samples: [...SUPERVISOR], rate: 8_000 }, { before: 1.5, after: 1.5 }), "kills");
          try {
            await intoTheMidst();
          } catch (error) {
            for (const [name, desk] of Object.entries({ pat, bo })) await town.picture(desk, `failed-${name}`).catch(() => undefined);
            throw town.explained(error);
          }
          await town.gateway.kill();
          await town.gateway.again();
          rings.open();
        },
        { timeout: 400_000 },
      );
      after(async () => {
        for (const { telephone } of Object.values(at ?? {})) telephone?.hangUp();
        await town?.close();
      });

      /** Then it has to go on quickly: a question is open for two minutes, and a telephone rings for 80 s. */
      async function intoTheMidst() {
        const sentences = ["Who painted the ceiling of the old opera house?", "There is a fire in my kitchen!"].map((text) => sentence(town, text));
        [pat, bo] = [await town.openPage(), await town.openPage()];
        await signIn(pat, await town.newPerson("pat", "Pat Ames", "supervisor"));
        await signIn(bo, await town.newPerson("bo", "Bo Lund", "supervisor"));
        const [question, fire] = await Promise.all(sentences);
        const id = await leavesRequest(town, pat, await town.dial(IN_DANGER, UNTOLD), fire);
        const calledBack = { id, acts: await callsBack(town, pat, id, OWN_PHONE) };

        const from = (n, line) => town.dial(`+1202555014${n}`, line);
        const [listened, whispered, recorded] = [await from(1, TOLD), await from(2, TOLD), await from(3, TOLD)];
        const stay = [[listened, STAYS], [whispered, STAYS_TOO], [recorded, STAYS]].map(([{ telephone }, words]) => staying(telephone, words));
        await Promise.all([listens(town, bo, listened), told(town, whispered), told(town, recorded)]);
        // Whoever asks has the recognizer nearly to themselves.
        const asking = await from(0, UNTOLD);
        await asks(town, bo, asking, question);
        const [taken, waiting] = [await from(4, TOLD), await from(5, UNTOLD)];
        await Promise.all([takesOver(town, pat, taken, SUPERVISOR), waits(town, waiting)]);
        await Promise.all(stay.slice(1).map(({ stop }) => stop()));

        await recorded.telephone.quiet(800, 0);
        const { from: lastFrom } = await recorded.telephone.say(LAST_WORDS);
        const { listeners } = await town.ask(`/v1/calls/${listened.id}`);
        assert.equal(listeners, 1, "bo listens until the kill");
        const { turns } = await town.ask(`/v1/calls/${asking.id}/transcript`);
        assert.ok(!turns.some(({ text }) => text.includes("nobody could answer in time")), "the office was asked for two minutes: this machine is too slow");
        await isTold(town, bo, whispered, LINE);
        assert.ok(whispered.telephone.onLine, "whoever hears the line is there until the kill");
        at = { listened, whispered, taken, asking, waiting, recorded, calledBack, lastFrom, killed: time() };
      }

      const call = (which) => town.ask(`/v1/calls/${which.id}`);
      async function interrupted(which) {
        const now = await call(which);
        assert.deepEqual([now.state, now.end_reason, now.controlled_by ?? null, now.listeners], ["ended", "interrupted", null, 0], JSON.stringify(now));
        const ends = await town.audit(which, "call.ended");
        assert.equal(ends.length, 1, JSON.stringify(ends));
      }
      /** A call back is promised to them where one is on file, and not otherwise. */
      async function heardWhy({ telephone, ...which }) {
        await until("the caller to be told", () => telephone.told.length > 0, TURN_MS).catch((error) => {
          throw new Error(`${error.message}; at the carrier: ${JSON.stringify(town.carrier.trouble)}`);
        });
        const words = telephone.told.join(" ");
        // Words that are hard to make out may have been taken for the other language's.
        const { language } = await call(which);
        const { why, calledBack, callAgain } = HEARD[language];
        assert.ok(words.includes(why), `in ${language}: ${words}`);
        const promised = words.includes(calledBack);
        assert.notEqual(promised, words.includes(callAgain), words);
        if (promised) assert.ok((await town.callBacks(which)).length > 0, `nothing is on file, and they heard: ${words}`);
        return promised;
      }
      async function one(which, action, is) {
        const entries = (await town.audit(which, action)).filter(({ details }) => details.reason === "interrupted");
        assert.equal(entries.length, 1, `${action}: ${JSON.stringify(entries)}`);
        is(entries[0]);
      }
      const ends = (desk) => desk.getByRole("article", { name: "Selected call" }).getByText("Ended", { exact: true }).first().waitFor();

      it("while a supervisor listens: the listening has its end, and the caller is told", async () => {
        await interrupted(at.listened);
        await one(at.listened, "call.listen_ended", ({ actor }) => assert.equal(actor.id, "bo"));
        await heardWhy(at.listened);
        await ends(bo);
        assert.equal(await bo.getByText("Asks the office").count(), 0, "nobody is asked for a caller any more");
        assert.equal(await bo.getByText("You are listening.").count(), 0, "the console says no more that bo listens");
      });

      it("while the agent says a line that was whispered: who whispered it stays, and nobody says that it was heard", async () => {
        await interrupted(at.whispered);
        const entries = await town.audit(at.whispered, "call.whispered");
        assert.deepEqual(entries.map(({ actor, details }) => [actor.id, details.until]), [["bo", "said"]], JSON.stringify(entries));
        const { turns } = await town.ask(`/v1/calls/${at.whispered.id}/transcript`);
        const line = turns.filter(({ text }) => text.includes("Mill Road"));
        assert.equal(line.length, 1, `the line is in the transcript: ${JSON.stringify(turns)}`);
        assert.ok(line[0].heard_text !== undefined && !line[0].heard_text.includes("wait there"), `the caller did not hear its end: ${JSON.stringify(line)}`);
        await heardWhy(at.whispered);
      });

      it("while a supervisor has the call: they have it no more, and the caller is told", async () => {
        await interrupted(at.taken);
        await one(at.taken, "call.control_lost", ({ details }) => assert.equal(details.by, "pat"));
        const { turns } = await town.ask(`/v1/calls/${at.taken.id}/transcript`);
        assert.ok(turns.some(({ speaker, by }) => speaker === "supervisor" && by === "pat"), `who spoke is in the transcript: ${JSON.stringify(turns)}`);
        await heardWhy(at.taken);
        await ends(pat);
        assert.equal(await pat.getByText("You have the call.").count(), 0, "the console says no more that pat has it");
        const shown = pat.getByRole("article", { name: "Selected call" });
        await shown.getByText("could not be loaded").waitFor({ state: "detached" });
        assert.equal(await shown.getByText("speaking…").count(), 0, "nobody speaks in a call that is over");
        await shown.getByText("pat", { exact: true }).waitFor();
        assert.equal(await shown.locator("s").getByText("member of our staff").count(), 0, "the caller was told who speaks, in the midst of the greeting");
        await town.picture(pat, "after-the-kill");
      });

      it("while the office is asked: the question is a call back, which is promised", async () => {
        await interrupted(at.asking);
        const filed = await town.callBacks(at.asking);
        assert.equal(filed.filter((item) => /opera house/i.test(JSON.stringify(item))).length, 1, JSON.stringify(filed));
        assert.ok(await heardWhy(at.asking), `they heard: ${at.asking.telephone.told.join(" ")}`);
      });

      it("while a person is rung for a caller: the caller is with the agent again or is called back, and nobody is led to believe that somebody waits", async () => {
        const { telephone } = at.waiting;
        await until("the caller to be on a second stream, or told", () => telephone.onLine || telephone.told.length > 0, TURN_MS).catch((error) => {
          throw new Error(`${error.message}; at the carrier: ${JSON.stringify(town.carrier.trouble)}`);
        });
        if (telephone.onLine) {
          await town.says(at.waiting, "the call to the clerk's office didn't go through", TURN_MS);
          await until("the caller to hear it", () => telephone.loudIn(at.killed) > 1.5, TURN_MS);
          assert.equal((await call(at.waiting)).state, "live");
        } else {
          // The engines of a busy machine are not ready so soon.
          const words = telephone.told.join(" ");
          assert.ok(words.includes("nobody could take your call. A person will call you back"), words);
          assert.equal((await town.callBacks(at.waiting)).length, 1, "the call back is on file, once");
          await interrupted(at.waiting);
        }
        // The telephone stops ringing, or whoever answered it before that is told.
        const rung = () => town.carrier.called().find(({ to }) => to === CLERK).status;
        await until("the clerk's telephone to be at rest", () => ["canceled", "completed"].includes(rung()), TURN_MS).catch((error) => {
          throw new Error(`${error.message}; it is ${rung()}, and they heard ${JSON.stringify(clerk.told)}`);
        });
        if (rung() === "completed") assert.ok(clerk.told.some((text) => text.includes("not waiting any more")), `they heard ${JSON.stringify(clerk.told)}`);
        const { transfers } = await call(at.waiting);
        assert.deepEqual(transfers.map(({ stage, result }) => [stage, result]), [["ended", "failed"]]);
        assert.equal((await town.audit(at.waiting, "call.transfer_ended")).length, 1);
      });

      it("while a call back rings: whoever answers goes on, and it has one end on record", async () => {
        const { id, acts } = at.calledBack;
        const done = await town.untilAnswer("the call back to have its end", `/v1/work-items/${id}`, ({ history }) => history.length > acts && history.at(-1).act !== "called", 60_000);
        assert.deepEqual(done.history.slice(acts).map(({ act }) => act), ["called", "call_reached"], JSON.stringify(done.history));
      });

      it("while it records: all but the last moment is kept, and can be played", async (t) => {
        await interrupted(at.recorded);
        await heardWhy(at.recorded);
        const path = `/v1/calls/${at.recorded.id}/recording`;
        await town.untilAnswer("the recording", `${path}?format=json`, (answer) => answer.recording?.state === "kept", 60_000);
        const wave = await pat.context().request.get(`${town.url}${path}?format=wav`);
        const [caller] = channels(await wave.body());
        // What can be there of the last words, and is looked for in their first half: a kill takes the end.
        const half = LAST_WORDS.slice(0, LAST_WORDS.length >> 1);
        const { likeness: alike, at: begin } = await likeness(half, caller);
        assert.ok(alike > 0.6, `the last words are in the recording of ${caller.length / 8_000} s: likeness ${alike}`);
        const [lived, kept] = [(at.killed - at.lastFrom) / 1_000, (caller.length - begin) / 8_000];
        const told = `from the last words on the call went on for ${lived.toFixed(2)} s, and ${kept.toFixed(2)} s of that are kept`;
        t.diagnostic(told);
        assert.ok(lived - kept < LOST_S, told);
      });

      it("and the audit is whole", async () => {
        const verdict = await town.ask("/v1/audit/verify");
        assert.equal(verdict.whole, true, JSON.stringify(verdict));
      });
    });
  }
});
