// Callers are put through to people, against a real gateway on SQLite and on PostgreSQL: by SIP REFER, where the caller's own exchange
// takes them or does not, and to a clerk who is asked first while notes are to be taken of the talk. The carrier is slow, refuses, fails,
// and tells late and twice meanwhile (`lib/carrier-faults.mjs`). What it needs: see `lib/office.mjs`, and QUANDURA_WAV.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { until } from "./lib/browser.mjs";
import { hears } from "./lib/heard.mjs";
import { TURN_MS } from "./lib/midst.mjs";
import { BACK_ENDS } from "./lib/office.mjs";
import { recording } from "./lib/speech.mjs";
import { Telephone, time } from "./lib/telephone.mjs";
import { CLERK, openTown, PERMITS, target, TOLD, UNTOLD } from "./lib/town.mjs";
import { overlap } from "./lib/words.mjs";

const EXCHANGE = "pbx.example.gov";
const DESK = `sip:permits@${EXCHANGE}`;
const OFFICE = "the clerk's office";
/** Each line has a target of its own. */
const TARGETS = [
  target(OFFICE, CLERK, { warm: true, notes: true, on_lines: [TOLD] }),
  target("the permit desk", PERMITS, { refer: DESK, on_lines: [UNTOLD] }),
];
const CALLER_SAYS = { sound: recording("cannot-complete-as-dialed"), words: "Your call cannot be completed as dialed." };
const CLERK_SAYS = { sound: recording("vm-msgforwarded"), words: "Your message has been successfully forwarded." };
const AT_THE_DESK = recording("check-number-dial-again");
/** So much of a sentence is understood at least; of another one that much is not. */
const UNDERSTOOD = 0.6;
/** From a yes to the answer of the person, and the three seconds in which the caller may say no. */
const MEET_MS = 45_000;

describe("callers who are put through", { concurrency: 1 }, () => {
  for (const backEnd of BACK_ENDS) {
    describe(`callers who are put through, on ${backEnd}`, { concurrency: 2 }, () => {
      let town;
      const desk = new Telephone(DESK);
      const clerk = new Telephone(CLERK);
      const numbers = { [CLERK]: { key: "1", telephone: clerk }, [DESK]: { refers: "takes", telephone: desk } };
      before(async () => {
        town = await openTown(backEnd, numbers, null, "transfers", TARGETS);
      });
      after(() => town?.close());
      const test = (title, body) =>
        it(title, { timeout: 240_000 }, async () => {
          try {
            await body();
            assert.deepEqual(town.carrier.trouble, []);
          } catch (error) {
            throw town.explained(error);
          }
        });

      /** Somebody calls, asks for a person, and says yes to the one whom they are offered. */
      async function asksFor(name, number, line, who) {
        const call = await town.dial(number, line, who);
        await call.telephone.quiet(800, 0);
        call.telephone.press("0");
        await town.says(call, `I can put you through to ${name}.`, TURN_MS);
        call.telephone.press("1");
        return call;
      }
      const known = (call) => town.ask(`/v1/calls/${call.id}`);
      const result = (call, is) => town.untilAnswer(`the transfer to be ${is}`, `/v1/calls/${call.id}`, ({ transfers }) => transfers?.at(-1)?.result === is, TURN_MS);
      /** How often a number was called. */
      const dialled = (number) => town.carrier.called().filter(({ to }) => to === number).length;
      /** The caller has the agent again, and hears why. */
      async function comesBack(call, why, since) {
        const { telephone } = call;
        await town.says(call, why, TURN_MS);
        await town.says(call, "leave a message", TURN_MS);
        await until("the caller to hear it", () => telephone.onLine && telephone.loudIn(since) > 1.5, TURN_MS);
        assert.equal((await known(call)).state, "live", "it is the same call, and goes on");
      }

      describe("by SIP REFER", { concurrency: 1 }, () => {
        const refers = (number) => asksFor("the permit desk", number, UNTOLD, { sip: EXCHANGE });

        test("are taken by their own exchange, and talk there", async () => {
          numbers[DESK].refers = "takes";
          const call = await refers("+12025550150");
          const { telephone } = call;
          await result(call, "answered");
          assert.deepEqual(telephone.referred, [DESK]);
          await until("both on the exchange's line", () => telephone.onLine && desk.onLine);
          const over = await known(call);
          assert.deepEqual([over.state, over.end_reason], ["ended", "transferred"], JSON.stringify(over));
          const met = time();
          await telephone.say(CALLER_SAYS.sound);
          await desk.say(AT_THE_DESK);
          await telephone.say([0]);
          await hears("the permit desk", "the caller's words", CALLER_SAYS.sound, desk.between(met), 0.9);
          await hears("the caller", "the words at the permit desk", AT_THE_DESK, telephone.between(met), 0.9);
          assert.ok(telephone.loudIn(met) < AT_THE_DESK.length / 8_000 + 0.1, "the caller hears nobody else: the agent has left");
          assert.equal(dialled(PERMITS), 0, "it costs no leg");
          telephone.hangUp();
          const ends = await town.audit(call, "call.transfer_ended");
          assert.deepEqual(ends.map(({ details }) => details.result), ["answered"], JSON.stringify(ends));
        });

        for (const [refused, becomes, why] of [
          ["busy", "busy", "the line is busy at the permit desk"],
          ["refuses", "failed", "the call to the permit desk didn't go through"],
        ]) {
          test(`come back to the agent and hear so where their exchange says "${refused}"`, async () => {
            numbers[DESK].refers = refused;
            const call = await refers(`+1202555015${refused.length}`);
            const since = time();
            await result(call, becomes);
            await comesBack(call, why, since);
            assert.deepEqual(call.telephone.referred, [DESK]);
            assert.deepEqual([dialled(PERMITS), desk.onLine], [0, false], "nobody else was called");
            call.telephone.hangUp();
            await town.untilAnswer("the call's end", `/v1/calls/${call.id}`, ({ state }) => state === "ended");
            // Who asked for a person is on file as such.
            const owed = ({ items }) => items.some((item) => item.call_id === call.id && ["callback", "escalation"].includes(item.kind));
            await town.untilAnswer("a call back for whoever hung up without a word", "/v1/work-items?limit=200", owed, TURN_MS);
          });
        }
      });

      describe("to a clerk who is asked first", { concurrency: 1 }, () => {
        const clerks = (number, who) => asksFor(OFFICE, number, TOLD, who);
        const notes = async (call) => (await town.audit(call, "call.notes")).map(({ details }) => details.notes).reverse();
        const turns = async ({ id }) => (await town.ask(`/v1/calls/${id}/transcript`)).turns;
        const meet = async ({ telephone }) => {
          await until("the clerk and the caller in one room", () => clerk.onLine && telephone.onLine && telephone.told.length > 0, MEET_MS).catch((error) => {
            throw new Error(`${error.message}; calls: ${JSON.stringify(town.carrier.called())}, the clerk was told ${JSON.stringify(clerk.told)}`);
          });
          assert.ok(clerk.told.at(-1).includes("silently and take notes"), `the clerk was told before: ${JSON.stringify(clerk.told)}`);
          assert.ok(telephone.told.at(-1).includes("take notes of what you two say"), JSON.stringify(telephone.told));
        };
        /** Both say their sentence, and each hears the other and nobody else. */
        const talk = async ({ telephone }) => {
          const met = time();
          const pause = () => new Promise((done) => setTimeout(done, 1_500));
          await telephone.say(CALLER_SAYS.sound);
          await pause();
          await clerk.say(CLERK_SAYS.sound);
          await pause();
          await hears("the clerk", "the caller's words", CALLER_SAYS.sound, clerk.between(met), 0.9);
          await hears("the caller", "the clerk's words", CLERK_SAYS.sound, telephone.between(met), 0.9);
          assert.ok(telephone.loudIn(met) < CLERK_SAYS.sound.length / 8_000 + 0.1, "nobody else says anything");
        };

        test("have their talk on the call's record, by speaker, after the agent has left", async () => {
          const { faults } = town.carrier;
          faults.next("place", { status: 429, retryAfter: 1 });
          faults.next("look", { status: 500 });
          faults.callbacks({ twice: true, late: { ringing: 2_000, "answered-by": 3_000, completed: 1_500 } });
          const call = await clerks("+12025550160");
          await meet(call);
          await until("notes to be taken", async () => (await notes(call)).includes("began"), TURN_MS);
          const before = (await turns(call)).length;
          assert.equal((await known(call)).state, "live", "the call goes on as long as the talk");
          await talk(call);
          const isThere = (said, speaker, by) => async () =>
            (await turns(call)).slice(before).some((turn) => turn.speaker === speaker && (turn.by ?? null) === by && overlap(said.words, turn.text) >= UNDERSTOOD);
          const written = async (what, is) =>
            until(what, is, TURN_MS).catch(async (error) => {
              throw new Error(`${error.message}; it is ${JSON.stringify((await turns(call)).slice(before))}`);
            });
          await written("the caller's words on record", isThere(CALLER_SAYS, "caller", null));
          await written("the clerk's words on record, under the office's name", isThere(CLERK_SAYS, "supervisor", OFFICE));
          assert.ok(!(await turns(call)).slice(before).some(({ speaker }) => speaker === "agent"), "the agent is silent");
          clerk.hangUp();
          await result(call, "answered");
          const over = await town.untilAnswer("the call's end", `/v1/calls/${call.id}`, ({ state }) => state === "ended");
          assert.equal(over.end_reason, "transferred");
          await until("the end of the notes", async () => (await notes(call)).at(-1) === "ended", TURN_MS);
          assert.deepEqual(await notes(call), ["told", "began", "ended"]);
          assert.equal(dialled(CLERK), 1, "the clerk was called once, at the second try");
          await until("the last of the late callbacks", () => faults.met.includes("callback: completed 1500 ms late"));
          for (const fault of ["place: 429", "callback: ringing 2000 ms late", "callback: in-progress twice"]) assert.ok(faults.met.includes(fault), JSON.stringify(faults.met));
        });

        test("meet without notes where the caller wants none, though the carrier failed and was slow", async () => {
          const { faults } = town.carrier;
          faults.callbacks({});
          // It rings, and nobody is told: the call is not asked for again.
          faults.next("place", { status: 503, done: true, ms: 2_000 });
          const [before, asked] = [dialled(CLERK), clerk.told.length];
          const call = await clerks("+12025550161", { key: "2" });
          await until("the clerk to be asked", () => clerk.told.length > asked, MEET_MS);
          await meet(call);
          await talk(call);
          clerk.hangUp();
          await result(call, "answered");
          assert.deepEqual(await notes(call), ["refused"]);
          const all = await turns(call);
          assert.ok(!all.some(({ text, speaker }) => speaker === "supervisor" || (speaker === "caller" && overlap(CALLER_SAYS.words, text) >= UNDERSTOOD)), `nothing of it is on record: ${JSON.stringify(all)}`);
          assert.equal(dialled(CLERK), before + 1, "rung once");
          assert.ok(faults.met.includes("place: done and 503"));
        });

        test("stay with the agent and hear so where the carrier does not call the clerk", async () => {
          const before = dialled(CLERK);
          town.carrier.faults.next("place", { status: 400, code: 21215 });
          const call = await clerks("+12025550162");
          const since = time();
          await result(call, "failed");
          await comesBack(call, "the call to the clerk's office didn't go through", since);
          assert.equal(dialled(CLERK), before, "nobody was rung");
          call.telephone.hangUp();
        });
      });
    });
  }
});
