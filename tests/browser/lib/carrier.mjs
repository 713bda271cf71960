// The carrier, as far as it places calls: its REST interface, and what it does with a call by itself. It behaves as its
// documentation says: a call that is placed rings, tells so, fetches the gateway's document when it is answered, and follows
// it. All that it posts is signed. `tests/src/carrier.rs` is the same for the tests in Rust, with all that can go wrong.

import { createHmac } from "node:crypto";
import { createServer } from "node:http";

import { bodyOf, json } from "../mock/http.mjs";

export const ACCOUNT = "AC00000000000000000000000000000001";
export const TOKEN = "0123456789abcdef0123456789abcdef";
const STEP_MS = 10;
const wait = (ms) => new Promise((next) => setTimeout(next, ms));

const plain = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&apos;", "'").replaceAll("&amp;", "&");
/** The first element of this name in a document: its attributes by name, and the text within. */
function element(document, name) {
  const [, written, text] = new RegExp(`<${name}((?:\\s[^>]*)?)>([^<]*)`).exec(document) ?? [];
  if (written === undefined) return null;
  const attributes = Object.fromEntries([...written.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, plain(value)]));
  return { attributes, text: plain(text) };
}

function signature(url, fields) {
  const text = Object.keys(fields).sort().reduce((all, name) => all + name + fields[name], url);
  return createHmac("sha1", TOKEN).update(text).digest("base64");
}

/**
 * `numbers`: whoever answers, by their number, with the key that they press when asked (`key`) and how long they stay (`ms`).
 * Everybody else does not answer.
 */
export async function startCarrier(numbers) {
  const legs = [];
  const trouble = [];

  const add = (from, to, parent = null) => {
    const leg = { sid: `CA${String(legs.length + 1).padStart(32, "0")}`, from, to, parent, status: "queued", created: new Date().toUTCString(), sequence: 0 };
    legs.push(leg);
    return leg;
  };
  async function post(leg, url, more = {}) {
    const fields = { CallSid: leg.sid, AccountSid: ACCOUNT, From: leg.from, To: leg.to, CallStatus: leg.status, ApiVersion: "2010-04-01", ...more };
    const answer = await fetch(url, { method: "POST", headers: { "x-twilio-signature": signature(url, fields) }, body: new URLSearchParams(fields) });
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

  /** A call that was placed by REST, from its first ring to its end. */
  async function live(leg, form) {
    const url = form.get("StatusCallback");
    const who = numbers[leg.to];
    await progress(leg, url, ["initiated", "ringing", ...(who ? ["in-progress"] : [])]);
    let document = who && (await post(leg, form.get("Url")));
    while (document) document = await step(leg, document, who);
    leg.status = who ? "completed" : "no-answer";
    await tell(leg, url, { CallDuration: "7" });
  }
  /** What comes after a document; nothing: it hangs up. */
  async function step(leg, document, who) {
    const gather = element(document, "Gather");
    if (gather) return who.key && post(leg, gather.attributes.action, { Digits: who.key });
    const [dial, number] = [element(document, "Dial"), element(document, "Number")];
    if (dial && number) return call(leg, dial.attributes, number);
    const redirect = element(document, "Redirect");
    return redirect && post(leg, redirect.text);
  }
  async function call(leg, dial, { text, attributes }) {
    const child = add(dial.callerId ?? leg.from, text, leg.sid);
    const who = numbers[text];
    await progress(child, attributes.statusCallback, ["initiated", "ringing", ...(who ? ["in-progress"] : [])]);
    if (who) {
      await tell(child, attributes.amdStatusCallback, { AnsweredBy: "human" });
      await wait(who.ms);
    }
    child.status = who ? "completed" : "no-answer";
    await tell(child, attributes.statusCallback, { CallDuration: "5" });
    return post(leg, dial.action, { DialCallStatus: child.status, DialCallSid: child.sid, DialCallDuration: "5" });
  }

  const shown = ({ sid, status, from, to, parent, created }) => ({ sid, status, from, to, parent_call_sid: parent, date_created: created, direction: "outbound-api", duration: null, price: null });
  const refuse = (response, status, code) => json(response, { code, message: "refused", more_info: "", status }, status);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://carrier");
    const [, account, sid] = /^\/2010-04-01\/Accounts\/(\w+)\/Calls(?:\/(\w+))?\.json$/.exec(url.pathname) ?? [];
    const body = await bodyOf(request);
    const basic = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString("base64")}`;
    if (account !== ACCOUNT || request.headers.authorization !== basic) return refuse(response, 401, 20003);
    if (sid) {
      const leg = legs.find((known) => known.sid === sid);
      return leg ? json(response, shown(leg)) : refuse(response, 404, 20404);
    }
    if (request.method === "GET") {
      const fits = (leg) => ["To", "From"].every((name) => (url.searchParams.get(name) ?? leg[name.toLowerCase()]) === leg[name.toLowerCase()]);
      return json(response, { calls: legs.filter(fits).map(shown), page: 0, page_size: 20 });
    }
    const form = new URLSearchParams(body);
    const leg = add(form.get("From"), form.get("To"));
    json(response, shown(leg), 201);
    live(leg, form).catch((error) => trouble.push(String(error)));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    /** What a gateway is told of it. */
    env: { TWILIO_ACCOUNT_SID: ACCOUNT, TWILIO_AUTH_TOKEN: TOKEN, TWILIO_API_BASE_URL: `http://127.0.0.1:${server.address().port}` },
    /** Who was called by whom, and what became of it, in order. */
    called: () => legs.map(({ from, to, status }) => ({ from, to, status })),
    trouble,
    close: () => new Promise((done) => server.close(done).closeAllConnections()),
  };
}
