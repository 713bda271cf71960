// People on live calls, against a real gateway on SQLite and on PostgreSQL: ten callers on the line at once, a supervisor with the
// browser's own microphone and loudspeaker, the office's telephones, and the carrier between them (`lib/carrier.mjs`). Who heard what,
// and who was not to, is checked by correlation of what was said with what each telephone and loudspeaker played.
// What is left of all that when the gateway is killed: `kills.test.mjs`. What it needs: see `lib/office.mjs`, and QUANDURA_WAV.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { assertAccessible } from "./lib/axe.mjs";
import { signIn, until } from "./lib/browser.mjs";
import { hears, hearsNot, likeness, playedOn } from "./lib/heard.mjs";
import { tapPage } from "./lib/loudspeaker.mjs";
import { BACK_ENDS } from "./lib/office.mjs";
import { recording, sentence } from "./lib/speech.mjs";
import { staying } from "./lib/staying.mjs";
import { Telephone, time } from "./lib/telephone.mjs";
import { CLERK, openTown, PERMITS, TOLD, UNTOLD } from "./lib/town.mjs";
import { asMicrophone, channels } from "./lib/wav.mjs";

const OWN_PHONE = "+12025550190";
const IN_DANGER = "+12025550147";
const QUESTION = "Who painted the ceiling of the old opera house?";
const FIRE = "There is a fire in my kitchen!";
const STOP = "Stop recording this.";
const LINE_SAID = "The office on Mill Road is closed today.";
const ANSWER = "It was painted in 1911 by a man from the town.";
/** Each caller's own words, by which they are known wherever they are heard. */
const LISTENED = recording("cannot-complete-as-dialed");
const ASKING = recording("conf-extended");
const PUT_THROUGH = recording("conf-placeintoconf");
const WITHDRAWING = recording("conf-nonextended");
const BYSTANDERS = ["conf-leaderhasleft", "conf-noempty", "dir-nomore", "demo-echodone", "speed-dial-empty"].map(recording);
const SUPERVISOR = recording("check-number-dial-again");
const AT_THE_DESK = recording("tt-weasels");
/** A turn on a machine that has two offices. */
const TURN_MS = 60_000;
/** From a yes to the answer of the second person, whom a busy machine may be slow to ring. */
const SECOND_MS = 40_000;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

describe("people on live calls", { concurrency: 1 }, () => {
  for (const backEnd of BACK_ENDS) {
    describe(`people on live calls, on ${backEnd}`, { concurrency: 1 }, () => {
      let town;
      let page;
      let tap;
      /** Who was not to hear what: looked into when nobody is on the line any more. */
      const later = [];
      const notHeard = (...what) => later.push(() => hearsNot(...what));
      const atPermits = new Telephone(PERMITS);
      const microphone = asMicrophone({ samples: [...SUPERVISOR], rate: 8_000 }, { before: 3.5, after: 2.5 });
      const numbers = {
        [CLERK]: { key: "2" },
        [PERMITS]: { key: "1", telephone: atPermits },
        [OWN_PHONE]: { key: "1", telephone: new Telephone(OWN_PHONE) },
        [IN_DANGER]: { machine: true, ms: 300 },
      };
      before(async () => {
        town = await openTown(backEnd, numbers, microphone);
        page = await town.openPage();
        tap = await tapPage(page);
      });
      after(() => town?.close());
      const picture = (name) => town.picture(page, name);
      const open = async ({ id }) => {
        await page.goto(`${town.url}/#/calls/${id}`);
        await page.getByRole("article", { name: "Selected call" }).waitFor();
      };
      const onCall = () => page.getByRole("region", { name: "On the call" });

      it("are heard by those who may hear them, and by nobody else", { timeout: 480_000 }, async () => {
        const words = [QUESTION, FIRE, STOP].map((text) => sentence(town, text));
        try {
          await signIn(page, await town.newPerson("pat", "Pat Ames", "supervisor"));
          const [question, fire, stop] = await Promise.all(words);
          const all = await tenCalls();
          const [listened, asking, putThrough, inDanger, withdrawing] = all;
          const aside = Promise.all([declinedAndAccepted(putThrough), tellsOfDanger(inDanger, fire)]);
          // What goes on beside it fails the test where it is waited for.
          aside.catch(() => undefined);
          await asksTheOffice(asking, question);
          const taken = await listenedToAndTakenOver(listened, all);
          await takesConsentBack(withdrawing, stop);
          await aside;
          await calledBack(inDanger);
          await hearsNot("the caller", "the supervisor, who gave the call back", SUPERVISOR, listened.telephone.between(taken.to + 300));
          for (const { telephone } of all) telephone.hangUp();
          await recordedAsHeard(listened, withdrawing, taken);
          for (const look of later) await look();
          assert.deepEqual(town.carrier.trouble, []);
          assert.deepEqual(page.trouble, []);
        } catch (error) {
          await picture("failed").catch(() => undefined);
          throw town.explained(error);
        }
      });

      /** Ten callers, one after the other. Those with words of their own say them now and then, until they are `busy`. */
      async function tenCalls() {
        const lines = [TOLD, UNTOLD, UNTOLD, UNTOLD, TOLD, ...BYSTANDERS.map(() => UNTOLD)];
        const calls = [];
        for (const [n, line] of lines.entries()) calls.push(await town.dial(n === 3 ? IN_DANGER : `+1202555013${n}`, line));
        await page.goto(`${town.url}/#/calls`);
        const live = page.locator("[data-call][data-state=live]");
        await until("ten calls on the line", async () => (await live.count()) >= 10, 30_000);
        await picture("ten-calls");
        const words = [LISTENED, null, null, null, WITHDRAWING, ...BYSTANDERS];
        calls.forEach((call, n) => {
          const stays = words[n] && staying(call.telephone, words[n]);
          call.isBusy = async () => stays?.stop();
        });
        return calls;
      }

      /** `call` is listened to, told a line, taken over and given back. When its person spoke. */
      async function listenedToAndTakenOver(call, all) {
        const { telephone } = call;
        await call.isBusy();
        await town.untilAnswer("the caller to be told", `/v1/audit?subject=${call.id}&action=call.consent`, ({ items }) => items.length > 0);
        await open(call);
        await onCall().getByRole("button", { name: "Listen" }).click();
        await onCall().getByText("You are listening.").waitFor();
        const listening = time();
        await telephone.quiet(800, 0);
        const said = await telephone.say(LISTENED);
        const answered = await telephone.quiet(1_000, said.to);
        await picture("listening");

        await onCall().getByRole("button", { name: "Whisper" }).click();
        const whisper = page.getByRole("dialog", { name: "Tell the agent something" });
        await whisper.getByLabel("Your words").fill("Mention that Monday is a holiday.");
        await whisper.getByLabel("An instruction for its next reply").check();
        await whisper.getByRole("button", { name: "Send" }).click();
        await whisper.getByText("takes no instructions in free words").waitFor();
        await whisper.getByLabel("Your words").fill(LINE_SAID);
        await whisper.getByLabel("Have it say this, word for word").check();
        assert.equal(await whisper.getByText("takes no instructions").count(), 0, "what was wrong with an instruction is not said of a line");
        await picture("whisper");
        const whispered = time();
        await whisper.getByRole("button", { name: "Send" }).click();
        await town.says(call, LINE_SAID);
        const lineSaid = await telephone.quiet(800, whispered);
        assert.ok(telephone.loudIn(whispered, lineSaid) > 1, "the caller hears the line in the agent's voice");
        const ears = () => tap.played(listening);
        await whileTheySpeak(telephone, LISTENED, async () => {
          await playedOn("the supervisor", "the caller's words", LISTENED, ears);
          await playedOn("the supervisor", "the agent's reply", loudPart(telephone.between(said.to, answered)), ears);
          await playedOn("the supervisor", "the line that was whispered", loudPart(telephone.between(whispered, lineSaid)), ears);
        });
        const heardSoFar = await ears();
        for (const other of BYSTANDERS) for (const ear of heardSoFar) notHeard("the supervisor", "another caller's words", other, ear);
        notHeard("the caller", "the supervisor, who only listens", SUPERVISOR, telephone.between(0));

        const taking = time();
        await onCall().getByRole("button", { name: "Take over" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Take over" }).click();
        await onCall().getByText("You have the call.").waitFor();
        await town.says(call, "You are now speaking with a member of our staff.");
        const told = time();
        await until("the supervisor's words to be sent, from the first to the last", async () => (await likeness(SUPERVISOR, telephone.between(told))).likeness > 0.6, 40_000).catch(() => undefined);
        await hears("the caller", "the supervisor's words", SUPERVISOR, telephone.between(told));
        const sent = tap.spoken().filter(({ at }) => at >= told && at <= time() - 400);
        const carried = () => {
          const there = new Set(telephone.heard.filter(({ at }) => at >= told).map(({ frame }) => frame.toString("base64")));
          return sent.filter(({ frame }) => there.has(frame)).length / Math.max(1, sent.length);
        };
        await until("the caller to hear what the supervisor's microphone sent", () => carried() > 0.9).catch(({ message }) => {
          throw new Error(`${message}: of ${sent.length} frames ${Math.round(carried() * 100)} %`);
        });
        await picture("taken-over");
        await assertAccessible(page, "a call that was taken over");
        const again = await telephone.say(LISTENED);
        await whileTheySpeak(telephone, LISTENED, () => playedOn("the supervisor who has the call", "the caller's words", LISTENED, () => tap.played(again.from - 500)));
        for (const other of all.filter((one) => one !== call)) notHeard(other.telephone.number, "the supervisor, who speaks with somebody else", SUPERVISOR, other.telephone.between(taking));

        await onCall().getByRole("button", { name: "Give back" }).click();
        await page.getByRole("textbox", { name: /What the agent should know/ }).fill("They were told our hours.");
        await page.getByRole("dialog").getByRole("button", { name: "Give back" }).click();
        await onCall().getByText("The agent has the call.").waitFor();
        const given = time();
        await town.says(call, "I'm back, the automated assistant.");
        await picture("given-back");
        const { turns } = await town.ask(`/v1/calls/${call.id}/transcript`);
        const person = turns.findIndex(({ speaker }) => speaker === "supervisor");
        assert.ok(person > 0, `who spoke is in the transcript: ${JSON.stringify(turns)}`);
        return { from: told, to: given };
      }

      /** The agent has no page for it; the caller waits, and hears what the office knows. */
      async function asksTheOffice(call, question) {
        const { telephone } = call;
        await town.wonders(call, question);
        await telephone.quiet(600, 0);
        telephone.press("1");
        await page.keyboard.press("c");
        await page.locator(`[data-call="${call.id}"]`).getByText(/Asks the office: .*opera/i).waitFor({ timeout: TURN_MS });
        await town.says(call, "I'm asking them now.");
        await picture("asked-in-the-list");
        await open(call);
        const box = page.getByRole("form", { name: "A question for the office" });
        await box.getByText(/opera/i).waitFor();
        // Whoever waits is not listened to.
        await telephone.say(ASKING);
        await box.getByLabel("Your answer").fill(ANSWER);
        await picture("asked");
        const answered = time();
        await box.getByRole("button", { name: "Answer" }).click();
        await box.waitFor({ state: "detached" });
        const { turns } = await town.says(call, `Somebody in the office says: ${ANSWER}`);
        await telephone.quiet(800, answered);
        assert.ok(telephone.loudIn(answered) > 1.5, `the caller heard ${telephone.loudIn(answered)} s after the answer`);
        assert.ok(!turns.some(({ speaker, text }) => speaker === "caller" && /conference/i.test(text)), `what was said meanwhile is not on record: ${JSON.stringify(turns)}`);
        await onCall().getByRole("button", { name: "Listen" }).click();
        await onCall().getByText(/Callers of this line are not told that somebody may listen/).waitFor();
        page.trouble = page.trouble.filter((line) => !/WebSocket connection to .*\/listen/.test(line));
        await picture("answered-and-not-listened-to");
      }

      /** Nobody at the clerk's takes the call; at the permit desk somebody does, and both talk. */
      async function declinedAndAccepted(call) {
        const { telephone } = call;
        await telephone.quiet(800, 0);
        telephone.press("0");
        await town.says(call, "I can put you through to the clerk's office.", TURN_MS);
        telephone.press("1");
        await town.says(call, "no one at the clerk's office can take your call", TURN_MS);
        await town.says(call, "leave a message?", TURN_MS);
        telephone.press("0");
        await town.says(call, "I can put you through to the permit desk.", TURN_MS);
        telephone.press("1");
        await until("the person at the permit desk to take the call", () => atPermits.onLine, SECOND_MS).catch((error) => {
          throw new Error(`${error.message}; calls: ${JSON.stringify(town.carrier.called())}`);
        });
        await town.untilAnswer("the agent to be gone", `/v1/calls/${call.id}`, ({ state }) => state === "ended");
        await until("the caller to be in the room", () => telephone.onLine, 30_000);
        const met = time();
        await telephone.say(PUT_THROUGH);
        await atPermits.say(AT_THE_DESK);
        await pause(200);
        await hears("the person at the permit desk", "the caller's words", PUT_THROUGH, atPermits.between(met), 0.9);
        await hears("the caller", "the words of the person at the permit desk", AT_THE_DESK, telephone.between(met), 0.9);
        assert.ok(telephone.loudIn(met) < AT_THE_DESK.length / 8_000 + 0.1, "the caller hears nobody else: the agent has left");
        atPermits.hangUp();
        const over = await town.ask(`/v1/calls/${call.id}`);
        assert.equal(over.end_reason, "transferred");
        assert.deepEqual(over.transfers.map(({ target, result }) => [target, result]).slice(0, 1), [["the clerk's office", "declined"]]);
        await town.untilAnswer("the transfer to have its end", `/v1/calls/${call.id}`, ({ transfers }) => transfers.at(-1).result === "answered");
        assert.ok(atPermits.told.some((text) => text.includes("A caller wants to speak with the permit desk")), JSON.stringify(atPermits.told));
      }

      async function tellsOfDanger(call, fire) {
        const { telephone } = call;
        await telephone.quiet(800, 0);
        await telephone.say(fire);
        await town.says(call, "Hang up now and dial 911.", TURN_MS);
        telephone.hangUp();
      }

      /** The request of whoever told of danger is called back, and a machine answers. */
      async function calledBack(call) {
        const { items } = await town.untilAnswer("their request", "/v1/work-items?limit=200", (all) => all.items.some((item) => item.call_id === call.id), 90_000);
        const { id } = items.find((item) => item.call_id === call.id);
        await page.goto(`${town.url}/#/work/${id}`);
        await page.getByRole("button", { name: "Take it on" }).click();
        await page.getByText("You have it now.").waitFor();
        await page.getByRole("button", { name: "Call back" }).click();
        await page.getByLabel("Your own phone number").fill(OWN_PHONE);
        await page.keyboard.press("Enter");
        await page.getByText("Your phone is about to ring.").waitFor();
        await page.getByText("reached an answering machine").waitFor();
        await picture("called-back");
        const own = numbers[OWN_PHONE].telephone;
        assert.ok(own.told.some((text) => text.includes("press 1")), JSON.stringify(own.told));
        assert.ok(!JSON.stringify(own.told).includes(IN_DANGER), "whoever calls back never hears the number");
      }

      /** Who is recorded says no in mid-call: from there on nobody hears them, and what there was is gone. */
      async function takesConsentBack(call, stop) {
        const { telephone } = call;
        await call.isBusy();
        await open(call);
        await onCall().getByRole("button", { name: "Listen" }).click();
        await onCall().getByText("You are listening.").waitFor();
        const before = time();
        await telephone.quiet(800, 0);
        const said = await telephone.say(WITHDRAWING);
        await telephone.quiet(1_000, said.to);
        await whileTheySpeak(telephone, WITHDRAWING, () => playedOn("the supervisor", "words of whoever has agreed", WITHDRAWING, () => tap.played(before)));
        await telephone.say(stop);
        await town.says(call, "Nothing more is recorded", TURN_MS);
        await telephone.quiet(600, 0);
        await pause(1_200);
        const { from, to } = await telephone.say(WITHDRAWING);
        await until("what was played meanwhile", async () => (await tap.knownTo()) > to + 1_500, 30_000);
        for (const ear of await tap.played(from)) notHeard("the supervisor", "words of whoever agrees no more", WITHDRAWING, ear);
        await picture("consent-taken-back");
        await onCall().getByRole("button", { name: "Stop listening" }).click();
      }

      /** The one recording holds both sides as they were heard, the person among them; the other is gone with its key. */
      async function recordedAsHeard(listened, withdrawing, taken) {
        const path = `/v1/calls/${listened.id}/recording`;
        await town.untilAnswer("the recording", `${path}?format=json`, ({ recording: kept }) => kept?.state === "kept");
        const wave = await page.context().request.get(`${town.url}${path}?format=wav`);
        const [caller, office] = channels(await wave.body());
        await hears("the recording's left side", "the caller's words", LISTENED, caller);
        const at = await hears("the recording's right side", "the supervisor's words", SUPERVISOR, office);
        assert.ok(at * 1_000 < taken.to, "while they had the call");
        await hearsNot("the recording's left side", "the supervisor's words", SUPERVISOR, caller);
        await open(listened);
        const panel = page.getByRole("slider", { name: "Place in the recording" });
        await panel.scrollIntoViewIfNeeded();
        await picture("recording");
        const gone = await town.untilAnswer("the other recording to be gone", `/v1/calls/${withdrawing.id}/recording?format=json`, ({ recording: kept }) => kept?.state === "deleted");
        assert.equal(gone.recording.delete_reason, "withdrawn");
        const [entry] = await town.audit(withdrawing, "recording.deleted");
        assert.deepEqual([entry?.details.reason, entry?.details.key], ["withdrawn", "deleted"], JSON.stringify(entry));
      }
    });
  }
});

/** To look for a sound takes longer on a busy machine than the agent waits for a silent caller. */
async function whileTheySpeak(telephone, words, look) {
  const stays = staying(telephone, words);
  await look().finally(stays.stop);
}

/** Four seconds of a sound, from where it begins. */
function loudPart(samples) {
  const from = samples.findIndex((one) => Math.abs(one) > 0.05);
  assert.ok(from >= 0, `${samples.length / 8_000} s of silence, where a voice was to be`);
  return samples.slice(from, from + 32_000);
}
