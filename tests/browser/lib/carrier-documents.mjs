// What the carrier does with a call as the gateway's documents say, one after the other.

import { openListener, openRoom, openStream } from "./telephone.mjs";
import { element, elements, inside } from "./twiml.mjs";

const SECOND_MS = 1_000;
const wait = (ms) => new Promise((next) => setTimeout(next, ms));

/**
 * What a caller's own exchange makes of a REFER: its answer to that, and what its NOTIFYs say of the call that it placed. One that refuses
 * the REFER, or that is told of an address that it does not know, leaves the caller where they are.
 */
export const REFERRED = {
  takes: { ReferSipResponseCode: "202", ReferCallStatus: "in-progress", NotifySipResponseCode: "200" },
  busy: { ReferSipResponseCode: "202", ReferCallStatus: "busy", NotifySipResponseCode: "486" },
  unknown: { ReferSipResponseCode: "202", ReferCallStatus: "failed", NotifySipResponseCode: "404" },
  refuses: { ReferSipResponseCode: "405", ReferCallStatus: "failed" },
  canceled: { ReferSipResponseCode: "202", ReferCallStatus: "canceled", NotifySipResponseCode: "180" },
};

/** Until a document hangs up, or somebody does. Gives what the caller goes on with elsewhere, if anything. */
export async function follow(carrier, leg, first, who) {
  try {
    for (let document = first; document && !leg.isGone; ) {
      who.telephone?.told.push(...elements(document, "Say").map(({ text }) => text));
      // By REST a document may take the place of what the call does.
      const turned = new Promise((done) => (leg.turn = done));
      leg.left = Promise.race([leg.gone, turned]);
      document = await Promise.race([turned, step(carrier, leg, document, who)]);
    }
  } finally {
    for (const listener of leg.listeners.splice(0)) listener.stop();
    who.telephone?.letGo();
  }
  return leg.elsewhere;
}

/** What comes after a document; nothing: it hangs up. */
async function step(carrier, leg, document, who) {
  await listen(carrier, leg, inside(document, "Start"), who);
  if (element(document, "Gather")) return ask(carrier, leg, document, who);
  const [dial, number, room, refer] = ["Dial", "Number", "Conference", "Refer"].map((name) => element(document, name));
  if (room) return meet(carrier, leg, dial.attributes.action, room.text, who);
  if (dial && number) return call(carrier, leg, dial.attributes, number, who);
  if (refer) return pass(carrier, leg, refer.attributes.action, element(document, "Sip").text, who);
  const connect = inside(document, "Connect");
  if (connect) return talk(carrier, leg, connect, element(document, "Connect").attributes.action, who);
  const redirect = element(document, "Redirect");
  return redirect && carrier.post(leg, redirect.text);
}

/** What a stream is opened with: all that the document says of it. */
function order(carrier, { sid }, part) {
  const { url, track } = element(part, "Stream").attributes;
  const parameters = Object.fromEntries(elements(part, "Parameter").map(({ attributes }) => [attributes.name, attributes.value]));
  return { url, track, parameters, sid, account: carrier.account, sign: (text) => carrier.sign(text) };
}

/** A stream that only listens: it begins, and the document goes on. What the gateway sends on it is an error, and nobody hears it. */
async function listen(carrier, leg, part, { telephone }) {
  if (!part) return;
  const { url } = element(part, "Stream").attributes;
  try {
    leg.listeners.push(await openListener(order(carrier, leg, part), telephone, (message) => carrier.trouble.push(`31924: ${url} sent ${message.slice(0, 80)}`)));
  } catch (error) {
    // The call goes on without it.
    carrier.trouble.push(`31920: ${url}: ${error.message}`);
  }
}

/** A key or a word, or nothing for as long as the document waits: then it goes on behind that. */
async function ask(carrier, leg, document, who) {
  const asks = elements(document, "Gather");
  const given = await Promise.race([Promise.all([who.key, who.says]), leg.left]);
  if (!Array.isArray(given)) return null;
  const [Digits, SpeechResult] = given;
  if (Digits) return carrier.post(leg, asks[0].attributes.action, { Digits });
  if (SpeechResult) return carrier.post(leg, asks[0].attributes.action, { SpeechResult, Confidence: "0.91" });
  const ms = asks.reduce((all, { attributes }) => all + Number(attributes.timeout ?? 5) * SECOND_MS, 0);
  if (await Promise.race([wait(ms), leg.left])) return null;
  const redirect = element(document, "Redirect");
  return redirect && carrier.post(leg, redirect.text);
}

/** Somebody is dialled. Where both have a telephone they talk, and else whoever was dialled stays a while. */
async function call(carrier, leg, dial, { text, attributes }, { telephone }) {
  const child = carrier.add(dial.callerId ?? leg.from, text, { parent: leg.sid });
  const who = carrier.numbers[text];
  if (await carrier.ring(child, attributes.statusCallback, who)) {
    await carrier.detect(child, attributes.amdStatusCallback, who);
    if (telephone && who.telephone) await together(telephone, who.telephone, Promise.race([leg.left, child.gone]));
    else await wait(who.ms);
    child.status = "completed";
  }
  await carrier.tell(child, attributes.statusCallback, { CallDuration: "5" });
  return carrier.post(leg, dial.action, { DialCallStatus: child.status, DialCallSid: child.sid, DialCallDuration: "5" });
}

/** Two telephones on one line, until one of them hangs up or the line is cut. */
async function together(one, other, cut) {
  const room = openRoom();
  for (const telephone of [one, other]) room.enter(telephone);
  await Promise.race([room.ended, cut]);
  for (const telephone of [one, other]) telephone.letGo();
}

async function talk(carrier, leg, part, action, { telephone }) {
  const stream = await openStream(order(carrier, leg, part));
  telephone.holdTo(stream);
  const { by } = await Promise.race([stream.ended, leg.left.then(() => ({ by: "carrier" }))]);
  if (by === "carrier") stream.hangUp();
  telephone.letGo();
  return by === "gateway" && carrier.post(leg, action);
}

async function meet(carrier, leg, action, name, { telephone }) {
  const { rooms } = carrier;
  if (!rooms.has(name)) rooms.set(name, openRoom());
  const room = rooms.get(name);
  room.enter(telephone);
  await Promise.race([room.ended, leg.left]);
  // The first who leaves ends it.
  telephone.hangUp();
  return action && carrier.post(leg, action, { DialCallStatus: "completed" });
}

/** The caller's own exchange is told to call somebody in our place. Takes it the order, both are on its line, and the caller's leg with us ends. */
async function pass(carrier, leg, action, uri, { telephone }) {
  if (!leg.sip) {
    carrier.trouble.push(`${leg.sid} was to be referred, and is not SIP`);
    return null;
  }
  telephone.referred.push(uri);
  const there = carrier.numbers[uri];
  await Promise.race([there?.rings, leg.gone]);
  const came = leg.isGone ? "canceled" : (there?.refers ?? "unknown");
  const isTaken = came === "takes";
  if (isTaken) leg.elsewhere = () => together(telephone, there.telephone, leg.gone);
  const next = await carrier.post(leg, action, REFERRED[came]);
  return isTaken ? null : next;
}
