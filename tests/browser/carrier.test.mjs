// The simulated carrier by itself: what the tests of people on live calls rest on. The gateway is a double here, which answers with
// documents as the real one writes them and keeps what it was told.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";

import { WebSocketServer } from "ws";

import { until } from "./lib/browser.mjs";
import { ACCOUNT, startCarrier, TOKEN } from "./lib/carrier.mjs";
import { energy, framesOf } from "./lib/mulaw.mjs";
import { Telephone } from "./lib/telephone.mjs";
import { signature } from "./lib/twiml.mjs";
import { babble } from "./lib/wav.mjs";
import { bodyOf } from "./mock/http.mjs";

const LINE = "+12025550100";
const CALLER = "+12025550140";
const CLERK = "+12025550180";
const DESK = "sip:desk@pbx.example.gov";
const EXCHANGE = "pbx.example.gov";
const WORDS = Float32Array.from(babble(0.6, 8_000));
const HANG_UP = "<Response><Hangup/></Response>";

describe("the simulated carrier", { concurrency: 1 }, () => {
  let gateway;
  let carrier;
  let numbers;
  before(async () => {
    gateway = await startDouble();
  });
  after(() => gateway.close());
  const test = (title, body) =>
    it(title, { timeout: 30_000 }, async () => {
      numbers = { [CLERK]: { key: "1", telephone: new Telephone(CLERK) }, [DESK]: { refers: "takes", telephone: new Telephone(DESK) } };
      carrier = await startCarrier(numbers);
      gateway.told = [];
      try {
        await body();
      } finally {
        await carrier.close();
      }
    });
  const told = (path) => gateway.told.filter((one) => one.path === path).map(({ fields }) => fields);
  const untilTold = (path, count = 1) => until(`${count} requests to ${path}`, () => told(path).length >= count, 10_000).then(() => told(path));
  const answers = (documents) => (gateway.documents = documents);
  const at = (path) => `${gateway.url}${path}`;
  const comesIn = (who) => {
    const telephone = new Telephone(CALLER);
    const sid = carrier.callIn(at("/voice"), telephone, LINE, who);
    return { telephone, sid };
  };
  const refer = () => `<Response><Refer action="${at("/done")}" method="POST"><Sip>${DESK}</Sip></Refer></Response>`;
  const came = (fields) => [fields.ReferSipResponseCode, fields.ReferCallStatus, fields.NotifySipResponseCode];

  test("has the caller's own exchange call whom a REFER names, and is rid of both", async () => {
    answers({ "/voice": refer(), "/done": HANG_UP });
    const { telephone } = comesIn({ sip: EXCHANGE });
    const [fields] = await untilTold("/done");
    assert.deepEqual(came(fields), ["202", "in-progress", "200"]);
    assert.match(told("/voice")[0].SipCallId, /@pbx\.example\.gov$/);
    assert.deepEqual(telephone.referred, [DESK]);
    await until("both on the exchange's line", () => telephone.onLine && numbers[DESK].telephone.onLine);
    assert.deepEqual(carrier.called(), [{ from: CALLER, to: LINE, status: "completed" }], "no leg of ours was dialled");
    const { from } = await telephone.say(WORDS);
    await until("the desk to hear the caller", () => numbers[DESK].telephone.loudIn(from) > 0.3);
    telephone.hangUp();
    await until("both off it", () => !telephone.onLine && !numbers[DESK].telephone.onLine);
    assert.deepEqual(carrier.trouble, []);
  });

  test("leaves a caller whom the exchange does not pass on where they are", async () => {
    for (const [refers, expected] of [
      ["busy", ["202", "busy", "486"]],
      ["unknown", ["202", "failed", "404"]],
      ["refuses", ["405", "failed", undefined]],
    ]) {
      gateway.told = [];
      numbers[DESK].refers = refers;
      answers({ "/voice": refer(), "/done": `<Response><Redirect method="POST">${at("/next")}</Redirect></Response>`, "/next": HANG_UP });
      comesIn({ sip: EXCHANGE });
      await untilTold("/next");
      assert.deepEqual(came(told("/done")[0]), expected, refers);
    }
    assert.equal(numbers[DESK].telephone.onLine, false);
    assert.deepEqual(carrier.trouble, []);
  });

  test("refers nobody who does not come over SIP", async () => {
    answers({ "/voice": refer() });
    comesIn();
    await until("an error", () => carrier.trouble.length === 1);
    assert.match(carrier.trouble[0], /is not SIP/);
    assert.deepEqual(told("/done"), []);
  });

  test("sends both sides of a talk to a stream that only listens, and plays nothing of what comes back", async () => {
    const start = `<Start><Stream url="${gateway.ws}" track="both_tracks"><Parameter name="token" value="a.b"></Parameter></Stream></Start>`;
    const room = (name, action = "") => `<Dial${action}><Conference endConferenceOnExit="true">${name}</Conference></Dial>`;
    answers({ "/voice": `<Response>${start}${room("r", ` action="${at("/done")}"`)}<Hangup/></Response>`, "/clerk": `<Response>${room("r")}</Response>`, "/done": HANG_UP });
    const { telephone, sid } = comesIn();
    const clerk = numbers[CLERK].telephone;
    await place({ Url: at("/clerk") });
    await until("both in the room", () => telephone.onLine && clerk.onLine);
    await telephone.say(WORDS);
    await clerk.say(WORDS);
    await telephone.say([]);
    clerk.hangUp();
    await until("the stream's end", () => gateway.streams[0]?.closed);
    const messages = gateway.streams[0].messages;
    assert.deepEqual(messages.map(({ event }) => event).filter((event) => event !== "media"), ["connected", "start", "stop"]);
    const [, first] = messages;
    assert.deepEqual(first.start.tracks, ["inbound", "outbound"]);
    assert.deepEqual([first.start.callSid, first.start.accountSid, first.start.customParameters], [sid, ACCOUNT, { token: "a.b" }]);
    assert.deepEqual(messages.slice(1).map(({ sequenceNumber }) => Number(sequenceNumber)), messages.slice(1).map((_, n) => n + 1), "one sequence");
    assert.ok(messages.slice(1).every(({ streamSid }) => streamSid === first.start.streamSid));
    const loud = {};
    for (const track of ["inbound", "outbound"]) {
      const media = messages.filter((message) => message.media?.track === track).map((message) => message.media);
      assert.deepEqual(media.map(({ chunk, timestamp }) => [chunk, timestamp]), media.map((_, n) => [String(n + 1), String(20 * n)]), track);
      loud[track] = media.map(({ payload }) => energy(Buffer.from(payload, "base64")) > 0.02);
      assert.ok(Math.abs(loud[track].filter(Boolean).length - framesOf(WORDS).length) < 4, `${track}: the words of one, once`);
    }
    assert.ok(loud.inbound.indexOf(true) < loud.outbound.indexOf(true), "the caller spoke first");
    assert.ok(!loud.inbound.some((is, n) => is && loud.outbound[n]), "and nobody hears themselves");
    assert.equal(carrier.trouble.length, 1, JSON.stringify(carrier.trouble));
    assert.match(carrier.trouble[0], /^31924: .*"event":"media"/);
    assert.ok(telephone.loudIn(0) < 0.7, "what the gateway sent is not heard");
  });

  test("hears a key, a word, or nothing, and then goes on behind the question", async () => {
    const asks = (then) => `<Response><Gather input="dtmf speech" timeout="1" action="${at("/said")}"><Say>Well?</Say></Gather>${then}</Response>`;
    answers({ "/voice": asks(`<Redirect method="POST">${at("/next")}</Redirect>`), "/said": HANG_UP, "/next": HANG_UP });
    comesIn({ key: "2" });
    assert.equal((await untilTold("/said"))[0].Digits, "2");
    comesIn({ says: "No." });
    assert.equal((await untilTold("/said", 2))[1].SpeechResult, "No.");
    assert.deepEqual(told("/next"), []);
    const { telephone } = comesIn();
    await untilTold("/next");
    assert.deepEqual(telephone.told, ["Well?"]);
  });

  test("refuses requests, fails, and is slow, where that is wanted", async () => {
    answers({ "/clerk": HANG_UP });
    carrier.faults.next("place", { status: 429, retryAfter: 1 }, { status: 400, code: 21215 }, { status: 503, done: true }, { ms: 300 });
    const tooMany = await place({ Url: at("/clerk") });
    assert.deepEqual([tooMany.status, tooMany.headers.get("retry-after"), (await tooMany.json()).code], [429, "1", 20429]);
    const refused = await place({ Url: at("/clerk") });
    assert.deepEqual([refused.status, (await refused.json()).code], [400, 21215]);
    assert.deepEqual(carrier.called(), [], "nothing was done");
    assert.equal((await place({ Url: at("/clerk") })).status, 503);
    assert.equal(carrier.called().length, 1, "and that one was");
    const asked = performance.now();
    assert.equal((await place({ Url: at("/clerk") })).status, 201);
    assert.ok(performance.now() - asked >= 290);
    carrier.faults.next("look", { status: 500 });
    const [bad, good] = [await look(""), await look("")];
    assert.deepEqual([bad.status, good.status, (await good.json()).calls.length], [500, 200, 2]);
    const own = await fetch(`${carrier.env.TWILIO_API_BASE_URL}/2010-04-01/Accounts/${ACCOUNT}/Calls.json`);
    assert.equal(own.status, 401, "who is not known is let in nowhere");
    assert.deepEqual(carrier.faults.met, ["place: 429", "place: 400", "place: done and 503", "place: 300 ms late", "look: 500"]);
  });

  test("tells twice, and late, where that is wanted", async () => {
    answers({ "/clerk": HANG_UP });
    carrier.faults.callbacks({ twice: true, late: { ringing: 300 } });
    await place({ Url: at("/clerk"), StatusCallback: at("/status") });
    const all = await untilTold("/status", 8);
    assert.deepEqual(all.map(({ CallStatus }) => CallStatus), ["initiated", "initiated", "in-progress", "in-progress", "completed", "completed", "ringing", "ringing"]);
    assert.deepEqual(all.map(({ SequenceNumber }) => SequenceNumber), ["0", "0", "2", "2", "3", "3", "1", "1"], "by number they are in order");
  });

  test("tells what becomes of a call that nobody answers", async () => {
    for (const becomes of ["busy", "failed", undefined]) {
      gateway.told = [];
      numbers[CLERK] = becomes && { becomes };
      await place({ Url: at("/clerk"), StatusCallback: at("/status") });
      const all = await untilTold("/status", 3);
      assert.deepEqual(all.map(({ CallStatus }) => CallStatus), ["initiated", "ringing", becomes ?? "no-answer"]);
    }
    assert.deepEqual(told("/clerk"), []);
  });

  test("gives a live call another document, and ends one", async () => {
    answers({ "/clerk": `<Response><Dial><Conference>alone</Conference></Dial></Response>`, "/told": HANG_UP });
    const { sid } = await (await place({ Url: at("/clerk") })).json();
    const { telephone } = numbers[CLERK];
    await until("the clerk on the line", () => telephone.onLine);
    const change = (form) => rest(`/${sid}`, { method: "POST", body: new URLSearchParams(form) });
    assert.equal((await change({ Twiml: `<Response><Say>One moment.</Say><Dial><Conference>other</Conference></Dial></Response>` })).status, 200);
    await until("the other document", () => telephone.told.includes("One moment."));
    assert.equal((await change({ Status: "completed" })).status, 200);
    await until("its end", () => carrier.called()[0].status === "completed");
    const over = await change({ Status: "completed" });
    assert.deepEqual([over.status, (await over.json()).code], [400, 21220]);
  });

  const rest = (path, request = {}) =>
    fetch(`${carrier.env.TWILIO_API_BASE_URL}/2010-04-01/Accounts/${ACCOUNT}/Calls${path}.json`, {
      ...request,
      headers: { authorization: `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString("base64")}` },
    });
  const look = (path) => rest(path);
  const place = (form) => rest("", { method: "POST", body: new URLSearchParams({ From: LINE, To: CLERK, ...form }) });
});

/** Answers each path with a document, and sends sound on streams where none is wanted. What is not signed is refused. */
async function startDouble() {
  const double = { told: [], documents: {}, streams: [] };
  const server = createServer(async (request, response) => {
    const fields = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    const url = `${double.url}${request.url}`;
    if (request.headers["x-twilio-signature"] !== signature(TOKEN, url, fields)) return response.writeHead(403).end();
    double.told.push({ path: request.url, fields });
    response.writeHead(200, { "content-type": "text/xml" }).end(double.documents[request.url] ?? "");
  });
  new WebSocketServer({ server }).on("connection", (socket) => {
    const stream = { messages: [], closed: false };
    double.streams.push(stream);
    socket.on("message", (text) => {
      const message = JSON.parse(text);
      stream.messages.push(message);
      const loud = framesOf(WORDS)[2].toString("base64");
      if (message.event === "start") socket.send(JSON.stringify({ event: "media", streamSid: message.streamSid, media: { payload: loud } }));
    });
    socket.once("close", () => (stream.closed = true));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  double.url = `http://127.0.0.1:${server.address().port}`;
  double.ws = double.url.replace("http", "ws");
  double.close = () => new Promise((done) => server.close(done).closeAllConnections());
  return double;
}
