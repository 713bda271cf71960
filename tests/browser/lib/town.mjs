// A county whose people answer questions, take calls and listen: an office, what stands in its file, and whoever calls it.

import assert from "node:assert/strict";

import { until, within } from "./browser.mjs";
import { openOffice } from "./office.mjs";
import { Telephone } from "./telephone.mjs";

const ADMIN = "an-admin-token-of-this-test";
/** Its callers are told that they may be recorded and listened to; those of the other line are told nothing. */
export const TOLD = "+12025550100";
export const UNTOLD = "+12025550101";
export const CLERK = "+12025550180";
export const PERMITS = "+12025550181";
const ALWAYS = Object.fromEntries(["weekdays", "saturday", "sunday"].map((day) => [day, "0:00-24:00"]));
/** Where callers are put through to, at any hour. */
export const target = (name, number, more = { warm: true }) => ({ name, number, hours: ALWAYS, ...more });
const TARGETS = [target("the clerk's office", CLERK), target("the permit desk", PERMITS)];

/** `name`: what its pictures begin with. */
export async function openTown(backEnd, numbers, microphone, name = "people", targets = TARGETS) {
  const office = await openOffice(backEnd, numbers, { name, microphone, env: { ADMIN_TOKEN: ADMIN } });
  /** What the gateway answers to its operator. */
  const ask = async (path, method = "GET", body = null) => {
    const headers = { authorization: `Bearer ${ADMIN}`, ...(body && { "content-type": "application/json" }) };
    const asked = fetch(`${office.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }).then(async (got) => [got, await got.text()]);
    const [answer, text] = await within(`the gateway's answer to ${method} ${path}`, 40_000, asked);
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
  const untilAnswer = async (what, path, is, ms = 45_000) => {
    let last;
    await until(what, async () => is((last = await ask(path))), ms).catch((error) => {
      throw new Error(`${error.message}; GET ${path} gave ${JSON.stringify(last)}`);
    });
    return last;
  };
  try {
    const path = "/v1/tenants/riverbend/config";
    const document = await ask(path);
    const config = document.config ?? document;
    const [line] = config.line;
    config.line = [{ ...line, recording_consent: "notice" }, { ...line, number: UNTOLD, recording_consent: "off" }];
    config.target = targets;
    config.ask_staff = true;
    config.ask_staff_s = 120;
    await ask(path, "PUT", config);
  } catch (error) {
    await office.close();
    throw error;
  }
  /** Waits until the agent says that on a call: it is on its way to the caller. */
  const says = ({ id }, words, ms) =>
    untilAnswer(`the agent to say "${words}"`, `/v1/calls/${id}/transcript`, ({ turns }) => turns.some(({ speaker, text }) => speaker === "agent" && text.includes(words)), ms);
  return {
    ...office,
    ask,
    untilAnswer,
    says,
    /** Asks what no page answers, and once more where the line was not understood: then the agent offers to ask the office. */
    wonders: async (call, question) => {
      for (const patience of [20_000, 20_000, 40_000]) {
        await call.telephone.quiet(800, 0);
        await call.telephone.say(question);
        const offered = await says(call, "Shall I ask somebody in the office?", patience).catch((error) => error);
        if (!(offered instanceof Error)) return;
        if (patience > 20_000) throw offered;
      }
    },
    /** Somebody calls a line, and is on the record. `who`: see `callIn` of the carrier. */
    dial: async (number, line, who = {}) => {
      const telephone = new Telephone(number);
      const sid = office.carrier.callIn(`${office.url}/twilio/voice`, telephone, line, who);
      await until(`${number} to be on the line`, () => telephone.onLine, 30_000).catch((error) => {
        throw new Error(`${error.message}; ${JSON.stringify([telephone.told, office.carrier.trouble])}`);
      });
      const { id } = await until(`the call of ${number} on record`, () => ask(`/v1/calls/${sid}`).catch(() => null), 30_000);
      return { telephone, sid, id };
    },
    /** Adds to a failure what the gateway warned of last, and what went wrong at the carrier. */
    explained: (error) => {
      const warned = office.gateway.log().split("\n").filter((line) => /"level":"(WARN|ERROR)"/.test(line)).slice(-12);
      // A new one: the text of some has their first message for good.
      return new Error(`${error.stack}\nThe gateway warned of:\n${warned.join("\n")}\nAt the carrier: ${JSON.stringify(office.carrier.trouble)}`);
    },
    /** Entries of the audit about a call, the newest first. */
    audit: async ({ id }, action) => (await ask(`/v1/audit?subject=${id}&action=${action}&limit=200`)).items,
    callBacks: async ({ id }) => (await ask("/v1/work-items?limit=200")).items.filter((item) => item.call_id === id && item.kind === "callback"),
  };
}
