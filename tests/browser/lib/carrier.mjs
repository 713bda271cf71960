// The carrier: its REST interface for calls, and what it does with a call by itself. It behaves as its documentation says: a call
// that is placed rings, tells so, fetches the gateway's document when it is answered, and follows it; one that comes in asks
// for a document and follows that (`carrier-documents.mjs`). All that it posts is signed. What goes wrong with it is the test's choice
// (`carrier-faults.mjs`). `tests/src/carrier.rs` is the same for the tests in Rust.

import { createServer } from "node:http";

import { bodyOf, json } from "../mock/http.mjs";
import { follow } from "./carrier-documents.mjs";
import { Faults } from "./carrier-faults.mjs";
import { signature } from "./twiml.mjs";

export const ACCOUNT = "AC00000000000000000000000000000001";
export const TOKEN = "0123456789abcdef0123456789abcdef";
const STEP_MS = 10;
/** A gateway that is away is asked again for so long. */
const PATIENCE_MS = 60_000;
const OVER = ["completed", "busy", "no-answer", "failed", "canceled"];
const BASIC = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString("base64")}`;
const wait = (ms) => new Promise((next) => setTimeout(next, ms));

/**
 * `numbers`: whoever answers, by their number; everybody else does not. Of each: the key that they press when asked (`key`), or what they
 * say (`says`), how long they stay (`ms`), what they wait for before they answer (`rings`, a promise), what becomes of a call that they do
 * not answer (`becomes`: `busy`, `failed`), whether it is a `machine`, and the `telephone`. Also what a caller's own exchange does with who
 * is to be called there, by its SIP address: `refers`, one of `REFERRED`, and their `telephone`.
 */
export async function startCarrier(numbers) {
  const carrier = new Carrier(numbers);
  await carrier.listen();
  return carrier;
}

class Carrier {
  #legs = [];
  #closed = false;
  #server = createServer((request, response) => {
    this.#asked(request, response).catch((error) => this.#closed || this.trouble.push(`${request.method} ${request.url}: ${error}`));
  });
  /** What should not have happened. */
  trouble = [];
  faults = new Faults();
  rooms = new Map();
  account = ACCOUNT;

  constructor(numbers) {
    this.numbers = numbers;
  }
  listen() {
    return new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
  }
  close = () => {
    this.#closed = true;
    for (const leg of this.#legs) leg.hangUp();
    return new Promise((done) => this.#server.close(done).closeAllConnections());
  };
  /** What a gateway is told of it. */
  get env() {
    return { TWILIO_ACCOUNT_SID: ACCOUNT, TWILIO_AUTH_TOKEN: TOKEN, TWILIO_API_BASE_URL: `http://127.0.0.1:${this.#server.address().port}` };
  }
  /** Who was called by whom, and what became of it, in order. */
  called = () => this.#legs.map(({ from, to, status }) => ({ from, to, status }));

  /** `sip`: the exchange that a call comes from, where it comes over SIP. */
  add(from, to, { parent = null, sip = null } = {}) {
    const sid = `CA${String(this.#legs.length + 1).padStart(32, "0")}`;
    const leg = { sid, from, to, parent, sip, status: "queued", answeredBy: null, created: new Date().toUTCString(), sequence: 0, isGone: false, listeners: [] };
    leg.gone = new Promise((done) => {
      leg.hangUp = () => {
        leg.isGone = true;
        done("gone");
      };
    });
    this.#legs.push(leg);
    return leg;
  }

  async #send(url, request) {
    for (const end = Date.now() + PATIENCE_MS; ; await wait(200)) {
      try {
        return await fetch(url, request);
      } catch (error) {
        if (this.#closed || Date.now() > end) throw error;
      }
    }
  }
  #fields(leg, more) {
    const sip = leg.sip && { SipCallId: `${leg.sid}@${leg.sip}`, SipSourceIp: "192.0.2.10" };
    return { CallSid: leg.sid, AccountSid: ACCOUNT, From: leg.from, To: leg.to, CallStatus: leg.status, ApiVersion: "2010-04-01", ...sip, ...more };
  }
  sign = (url, fields) => signature(TOKEN, url, fields);
  async #deliver(url, fields) {
    const answer = await this.#send(url, { method: "POST", headers: { "x-twilio-signature": this.sign(url, fields) }, body: new URLSearchParams(fields) });
    if (!answer.ok) this.trouble.push(`${url}: ${answer.status}`);
    return answer.text();
  }
  /** Asks what comes next. */
  post(leg, url, more = {}) {
    return this.#deliver(url, this.#fields(leg, more));
  }
  /** A callback. One that is late is not waited for. */
  async tell(leg, url, more = {}) {
    if (!url) return;
    const fields = this.#fields(leg, { ...more, SequenceNumber: String(leg.sequence++) });
    for (const ms of this.faults.times(more.AnsweredBy ? "answered-by" : leg.status)) {
      if (ms === 0) await this.#deliver(url, fields);
      else wait(ms).then(() => this.#closed || this.#deliver(url, fields)).catch((error) => this.trouble.push(`${url}, late: ${error.cause ?? error}`));
    }
  }
  async #progress(leg, url, statuses) {
    for (const status of statuses) {
      await wait(STEP_MS);
      leg.status = status;
      await this.tell(leg, url);
    }
  }
  /** It rings until somebody answers. `false`: nobody does. */
  async ring(leg, url, who) {
    await this.#progress(leg, url, ["initiated", "ringing"]);
    if ((await Promise.race([who?.rings, leg.gone])) === "gone") leg.status = "canceled";
    else if (who?.becomes) leg.status = who.becomes;
    else if (who) await this.#progress(leg, url, ["in-progress"]);
    else leg.status = "no-answer";
    return leg.status === "in-progress";
  }
  async detect(leg, url, who) {
    leg.answeredBy = who.machine ? "machine_start" : "human";
    await this.tell(leg, url, { AnsweredBy: leg.answeredBy });
  }

  /** A call that was placed by REST, from its first ring to its end. */
  async #live(leg, form) {
    const url = form.get("StatusCallback");
    const who = this.numbers[leg.to];
    if (await this.ring(leg, url, who)) {
      await this.detect(leg, form.get("AsyncAmdStatusCallback"), who);
      await follow(this, leg, await this.post(leg, form.get("Url")), who);
      leg.status = "completed";
    }
    await this.tell(leg, url, { CallDuration: "7" });
  }

  /** Somebody calls a line: `voice` is asked what to do. `who`: what else is of matter of them, as in `numbers`; `sip`: the exchange they call from. Gives the name of the call. */
  callIn = (voice, telephone, to, { sip, ...who } = {}) => {
    const leg = this.add(telephone.number, to, { sip });
    const held = async () => {
      leg.status = "in-progress";
      const after = await follow(this, leg, await this.post(leg, voice), { ...who, telephone });
      leg.status = "completed";
      await after?.();
    };
    held().catch((error) => this.trouble.push(`${leg.sid} from ${leg.from}: ${error.cause ?? error}`));
    return leg.sid;
  };

  async #asked(request, response) {
    const url = new URL(request.url, "http://carrier");
    const [, account, sid] = /^\/2010-04-01\/Accounts\/(\w+)\/Calls(?:\/(\w+))?\.json$/.exec(url.pathname) ?? [];
    const form = new URLSearchParams(await bodyOf(request));
    if (account !== ACCOUNT || request.headers.authorization !== BASIC) return json(response, ...refused(401, 20003));
    const kind = request.method === "GET" ? "look" : sid ? "change" : "place";
    const { status, code, retryAfter, done, ms } = this.faults.take(kind);
    if (retryAfter) response.setHeader("retry-after", String(retryAfter));
    if (status && !done) return json(response, ...refused(status, code));
    const answer = kind === "place" ? this.#place(form) : sid ? this.#one(sid, form) : this.#list(url.searchParams);
    if (ms) await wait(ms);
    json(response, ...(status ? refused(status, code) : answer));
  }
  #place(form) {
    const isNumber = (name) => /^\+\d+$/.test(form.get(name) ?? "");
    if (!isNumber("To")) return refused(400, 21211);
    if (!isNumber("From")) return refused(400, 21212);
    if (!form.get("Url")) return refused(400, 21205);
    const leg = this.add(form.get("From"), form.get("To"));
    this.#live(leg, form).catch((error) => this.trouble.push(`${leg.sid} to ${leg.to}: ${error.cause ?? error}`));
    return [shown(leg), 201];
  }
  /** One call: looked up, or changed where the form says something. */
  #one(sid, form) {
    const leg = this.#legs.find((known) => known.sid === sid);
    if (!leg) return refused(404, 20404);
    const [status, document] = [form.get("Status"), form.get("Twiml")];
    if ((status || document) && OVER.includes(leg.status)) return refused(400, 21220);
    if (status) leg.hangUp();
    else if (document) leg.turn?.(document);
    return [shown(leg), 200];
  }
  #list(wanted) {
    const of = { To: "to", From: "from", ParentCallSid: "parent" };
    const fits = (leg) => Object.entries(of).every(([name, own]) => !wanted.has(name) || wanted.get(name) === leg[own]);
    return [{ calls: this.#legs.filter(fits).map(shown), page: 0, page_size: 20 }, 200];
  }
}

const shown = ({ sid, status, from, to, parent, created, answeredBy }) => ({ sid, status, from, to, parent_call_sid: parent, date_created: created, answered_by: answeredBy, direction: "outbound-api", duration: OVER.includes(status) ? "7" : null, price: null });
const refused = (status, code) => [{ code, message: "refused", more_info: "", status }, status];
