// The carrier: its REST interface for calls, and what it does with a call by itself. It behaves as its documentation says: a call
// that is placed rings, tells so, fetches the gateway's document when it is answered, and follows it; one that comes in asks
// for a document and follows that. All that it posts is signed. `tests/src/carrier.rs` is the same for the tests in Rust, with
// all that can go wrong.

import { createServer } from "node:http";

import { bodyOf, json } from "../mock/http.mjs";
import { openRoom, openStream } from "./telephone.mjs";
import { element, elements, signature } from "./twiml.mjs";

export const ACCOUNT = "AC00000000000000000000000000000001";
export const TOKEN = "0123456789abcdef0123456789abcdef";
const STEP_MS = 10;
/** A gateway that is away is asked again for so long. */
const PATIENCE_MS = 60_000;
const OVER = ["completed", "busy", "no-answer", "failed", "canceled"];
const wait = (ms) => new Promise((next) => setTimeout(next, ms));

/**
 * `numbers`: whoever answers, by their number; everybody else does not. Of each: the key that they press when asked (`key`), how long
 * they stay (`ms`), what they wait for before they answer (`rings`, a promise), whether it is a `machine`, and the `telephone`.
 */
export async function startCarrier(numbers) {
  const legs = [];
  const rooms = new Map();
  const trouble = [];
  let closed = false;

  const add = (from, to, parent = null) => {
    const leg = { sid: `CA${String(legs.length + 1).padStart(32, "0")}`, from, to, parent, status: "queued", answeredBy: null, created: new Date().toUTCString(), sequence: 0 };
    leg.gone = new Promise((done) => (leg.hangUp = () => done("gone")));
    legs.push(leg);
    return leg;
  };
  async function send(url, request) {
    for (const end = Date.now() + PATIENCE_MS; ; await wait(200)) {
      try {
        return await fetch(url, request);
      } catch (error) {
        if (closed || Date.now() > end) throw error;
      }
    }
  }
  async function post(leg, url, more = {}) {
    const fields = { CallSid: leg.sid, AccountSid: ACCOUNT, From: leg.from, To: leg.to, CallStatus: leg.status, ApiVersion: "2010-04-01", ...more };
    const answer = await send(url, { method: "POST", headers: { "x-twilio-signature": signature(TOKEN, url, fields) }, body: new URLSearchParams(fields) });
    if (!answer.ok) trouble.push(`${url}: ${answer.status}`);
    return answer.text();
  }
  const tell = (leg, url, more = {}) => url && post(leg, url, { ...more, SequenceNumber: String(leg.sequence++) });
  async function progress(leg, url, statuses) {
    for (const status of statuses) {
      await wait(STEP_MS);
      leg.status = status;
      await tell(leg, url);
    }
  }
  /** It rings until somebody answers. `false`: nobody does. */
  async function ring(leg, url, who) {
    await progress(leg, url, ["initiated", "ringing"]);
    if ((await Promise.race([who?.rings, leg.gone])) === "gone") leg.status = "canceled";
    else if (who) await progress(leg, url, ["in-progress"]);
    else leg.status = "no-answer";
    return leg.status === "in-progress";
  }
  async function detect(leg, url, who) {
    leg.answeredBy = who.machine ? "machine_start" : "human";
    await tell(leg, url, { AnsweredBy: leg.answeredBy });
  }

  /** A call that was placed by REST, from its first ring to its end. */
  async function live(leg, form) {
    const url = form.get("StatusCallback");
    const who = numbers[leg.to];
    if (await ring(leg, url, who)) {
      await detect(leg, form.get("AsyncAmdStatusCallback"), who);
      await follow(leg, await post(leg, form.get("Url")), who);
      leg.status = "completed";
    }
    await tell(leg, url, { CallDuration: "7" });
  }
  async function follow(leg, first, who) {
    try {
      for (let document = first; document; document = await step(leg, document, who)) {
        who.telephone?.told.push(...elements(document, "Say").map(({ text }) => text));
      }
    } finally {
      who.telephone?.letGo();
    }
  }
  /** What comes after a document; nothing: it hangs up. */
  async function step(leg, document, who) {
    const gather = element(document, "Gather");
    if (gather) {
      const key = await Promise.race([who.key, leg.gone]);
      return key && key !== "gone" && post(leg, gather.attributes.action, { Digits: key });
    }
    const [dial, number, room] = [element(document, "Dial"), element(document, "Number"), element(document, "Conference")];
    if (room) return meet(leg, dial.attributes.action, room.text, who);
    if (dial && number) return call(leg, dial.attributes, number);
    const stream = element(document, "Stream");
    if (stream) return talk(leg, document, stream.attributes.url, who);
    const redirect = element(document, "Redirect");
    return redirect && post(leg, redirect.text);
  }
  async function call(leg, dial, { text, attributes }) {
    const child = add(dial.callerId ?? leg.from, text, leg.sid);
    const who = numbers[text];
    if (await ring(child, attributes.statusCallback, who)) {
      await detect(child, attributes.amdStatusCallback, who);
      await wait(who.ms);
      child.status = "completed";
    }
    await tell(child, attributes.statusCallback, { CallDuration: "5" });
    return post(leg, dial.action, { DialCallStatus: child.status, DialCallSid: child.sid, DialCallDuration: "5" });
  }
  async function talk(leg, document, url, { telephone }) {
    const parameters = Object.fromEntries(elements(document, "Parameter").map(({ attributes }) => [attributes.name, attributes.value]));
    const stream = await openStream({ url, parameters, sid: leg.sid, account: ACCOUNT, sign: (text) => signature(TOKEN, text) });
    telephone.holdTo(stream);
    const { by } = await Promise.race([stream.ended, leg.gone.then(() => ({ by: "carrier" }))]);
    telephone.letGo();
    return by === "gateway" && post(leg, element(document, "Connect").attributes.action);
  }
  async function meet(leg, action, name, { telephone }) {
    if (!rooms.has(name)) rooms.set(name, openRoom());
    const room = rooms.get(name);
    room.enter(telephone);
    await Promise.race([room.ended, leg.gone]);
    return action && post(leg, action, { DialCallStatus: "completed" });
  }

  /** Somebody calls a line: `voice` is asked what to do. Gives the name of the call. */
  function callIn(voice, telephone, to) {
    const leg = add(telephone.number, to);
    const held = async () => {
      leg.status = "in-progress";
      await follow(leg, await post(leg, voice), { telephone });
      leg.status = "completed";
    };
    held().catch((error) => trouble.push(`${leg.sid} from ${leg.from}: ${error.cause ?? error}`));
    return leg.sid;
  }

  const shown = ({ sid, status, from, to, parent, created, answeredBy }) => ({ sid, status, from, to, parent_call_sid: parent, date_created: created, answered_by: answeredBy, direction: "outbound-api", duration: null, price: null });
  const refuse = (response, status, code) => json(response, { code, message: "refused", more_info: "", status }, status);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://carrier");
    const [, account, sid] = /^\/2010-04-01\/Accounts\/(\w+)\/Calls(?:\/(\w+))?\.json$/.exec(url.pathname) ?? [];
    const body = await bodyOf(request);
    const basic = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString("base64")}`;
    if (account !== ACCOUNT || request.headers.authorization !== basic) return refuse(response, 401, 20003);
    const form = new URLSearchParams(body);
    if (sid) {
      const leg = legs.find((known) => known.sid === sid);
      if (!leg) return refuse(response, 404, 20404);
      if (request.method === "POST") {
        if (OVER.includes(leg.status)) return refuse(response, 400, 21220);
        if (form.get("Status")) leg.hangUp();
      }
      return json(response, shown(leg));
    }
    if (request.method === "GET") {
      const fits = (leg) => ["To", "From"].every((name) => (url.searchParams.get(name) ?? leg[name.toLowerCase()]) === leg[name.toLowerCase()]);
      return json(response, { calls: legs.filter(fits).map(shown), page: 0, page_size: 20 });
    }
    const leg = add(form.get("From"), form.get("To"));
    json(response, shown(leg), 201);
    live(leg, form).catch((error) => trouble.push(`${leg.sid} to ${leg.to}: ${error.cause ?? error}`));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    /** What a gateway is told of it. */
    env: { TWILIO_ACCOUNT_SID: ACCOUNT, TWILIO_AUTH_TOKEN: TOKEN, TWILIO_API_BASE_URL: `http://127.0.0.1:${server.address().port}` },
    /** Who was called by whom, and what became of it, in order. */
    called: () => legs.map(({ from, to, status }) => ({ from, to, status })),
    callIn,
    trouble,
    close: () => {
      closed = true;
      for (const leg of legs) leg.hangUp();
      return new Promise((done) => server.close(done).closeAllConnections());
    },
  };
}
