// Somebody's telephone: what they say and what they hear, frame by frame, all on one clock, so that it can be told who heard what
// and when. It is held to a line: a media stream of the gateway, or a room at the carrier where two meet.

import { randomUUID } from "node:crypto";

import { WebSocket } from "ws";

import { until } from "./browser.mjs";
import { energy, FRAME_BYTES, FRAME_MS, framesOf, samplesOf, SILENCE } from "./mulaw.mjs";

const LOUD = 0.02;
/** The clock of all telephones: what a busy machine delays is made up for, as a carrier does. */
const held = new Set();
const now = () => performance.timeOrigin + performance.now();
let next = 0;
let clock = null;

function beat() {
  for (const time = now(); next <= time; next += FRAME_MS) for (const telephone of held) telephone.tick(next);
}
function keepTime(telephone) {
  held.add(telephone);
  if (clock) return;
  next = now();
  clock = setInterval(beat, 5);
}
function rest(telephone) {
  held.delete(telephone);
  if (held.size > 0) return;
  clearInterval(clock);
  clock = null;
}

export class Telephone {
  #line = null;
  #mouth = [];
  #spoken = [];
  /** Frames with their times. */
  said = [];
  heard = [];
  /** What the carrier's own voice said to them. */
  told = [];
  /** Whom its own exchange was told to call in the gateway's place. */
  referred = [];
  /** Who is given each frame that was said, and the one that was heard with it. */
  taps = new Set();
  loudAt = 0;

  /** `number`: whose it is. */
  constructor(number) {
    this.number = number;
  }

  tick(at) {
    const frame = this.#mouth.shift() ?? SILENCE;
    this.said.push({ at, frame });
    this.#line?.send(frame);
    const heard = this.#line?.play() ?? SILENCE;
    this.heard.push({ at, frame: heard });
    for (const tap of this.taps) tap(frame, heard);
    if (heard !== SILENCE && energy(heard) > LOUD) this.loudAt = at;
    if (this.#mouth.length === 0) for (const done of this.#spoken.splice(0)) done(at);
  }
  holdTo(line) {
    this.#line = line;
    keepTime(this);
  }
  letGo() {
    this.#line = null;
    rest(this);
    for (const done of this.#spoken.splice(0)) done(now());
  }
  get onLine() {
    return this.#line !== null;
  }

  /** Says it; when the first and the last of it went out. */
  async say(samples) {
    if (!this.onLine) throw new Error(`${this.number} is on no line and says nothing; the carrier told them ${JSON.stringify(this.told)}`);
    const from = now();
    this.#mouth.push(...framesOf(samples));
    const to = await new Promise((done) => this.#spoken.push(done));
    return { from, to };
  }
  press(key) {
    if (!this.#line?.press) throw new Error(`${this.number} is on no stream and cannot press ${key}`);
    this.#line.press(key);
  }
  hangUp() {
    this.#line?.hangUp();
  }

  /** Waits until it was loud after `since`, and then silent for so long. */
  async quiet(ms = 1_200, since = now(), patience = 45_000) {
    const last = () => `${this.number}: heard nothing loud for ${Math.round(now() - this.loudAt)} ms, ${this.onLine ? "on" : "off"} the line`;
    await until(`${this.number} to hear something, and then ${ms} ms of silence`, () => this.loudAt > since && now() - this.loudAt > ms, patience).catch((error) => {
      throw new Error(`${error.message} (${last()})`);
    });
    return now();
  }
  /** Samples that were heard in that time. */
  between(from, to = Infinity) {
    return samplesOf(this.heard.filter(({ at }) => at >= from && at <= to).map(({ frame }) => frame));
  }
  /** Seconds of that time that were loud. */
  loudIn(from, to = Infinity) {
    const frames = this.heard.filter(({ at, frame }) => at >= from && at <= to && energy(frame) > LOUD);
    return (frames.length * FRAME_MS) / 1_000;
  }
}

export const time = now;

/** The carrier's end of a media stream: what is alike whichever way sound goes. One sequence for all messages, and chunks of each track by themselves. */
async function openSocket({ url, parameters, sid, account, sign }, tracks) {
  const socket = new WebSocket(url, { headers: { "x-twilio-signature": sign(url) } });
  await new Promise((done, fail) => socket.once("open", done).once("error", fail));
  const streamSid = `MZ${randomUUID().replaceAll("-", "")}`;
  const chunks = Object.fromEntries(tracks.map((track) => [track, 0]));
  let sequence = 0;
  const tell = (event, more) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ event, sequenceNumber: String((sequence += 1)), streamSid, ...more }));
  };
  const media = (track, frame) => {
    const chunk = (chunks[track] += 1);
    tell("media", { media: { track, chunk: String(chunk), timestamp: String((chunk - 1) * FRAME_MS), payload: frame.toString("base64") } });
  };
  const stop = () => {
    tell("stop", { stop: { accountSid: account, callSid: sid } });
    socket.close(1000);
  };
  socket.send(JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }));
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 };
  tell("start", { start: { accountSid: account, streamSid, callSid: sid, tracks, mediaFormat, customParameters: parameters } });
  return { socket, tell, media, stop };
}

/** A media stream of the gateway, from the carrier's end. `ended` says who ended it. */
export async function openStream(order) {
  const { socket, tell, media, stop } = await openSocket(order, ["inbound"]);
  // Sound that waits to be played, and marks by the byte before which they stand.
  let sound = Buffer.alloc(0);
  let [came, played] = [0, 0];
  let marks = [];
  const echo = () => {
    const due = marks.filter(({ at }) => at <= played);
    marks = marks.filter(({ at }) => at > played);
    for (const { name } of due) tell("mark", { mark: { name } });
  };
  socket.on("message", (text) => {
    const message = JSON.parse(text);
    if (message.event === "media") {
      const bytes = Buffer.from(message.media.payload, "base64");
      sound = Buffer.concat([sound, bytes]);
      came += bytes.length;
    } else if (message.event === "mark") {
      marks.push({ at: came, name: message.mark.name });
    } else if (message.event === "clear") {
      sound = Buffer.alloc(0);
      played = came;
    }
  });
  let isOver = null;
  const ended = new Promise((done) => {
    socket.once("close", (code) => done(isOver ?? { by: "gateway", code }));
    socket.once("error", (error) => done({ by: "gateway", code: error.message }));
  });
  return {
    ended,
    send: (frame) => media("inbound", frame),
    press: (digit) => tell("dtmf", { dtmf: { track: "inbound_track", digit } }),
    play: () => {
      const frame = sound.subarray(0, FRAME_BYTES);
      sound = sound.subarray(frame.length);
      played += frame.length;
      echo();
      if (frame.length === 0) return SILENCE;
      return frame.length === FRAME_BYTES ? Buffer.from(frame) : Buffer.concat([frame, SILENCE.subarray(frame.length)]);
    },
    hangUp: () => {
      isOver = { by: "caller", code: 1000 };
      stop();
    },
  };
}

const TRACKS = { inbound_track: ["inbound"], outbound_track: ["outbound"], both_tracks: ["inbound", "outbound"] };
/** A stream that only listens to a telephone: what it says is inbound, what it hears outbound. `sent` is given what comes back on it: none of it is played. */
export async function openListener({ track = "inbound_track", ...order }, telephone, sent) {
  const tracks = TRACKS[track];
  const { socket, media, stop } = await openSocket(order, tracks);
  socket.on("message", (text) => sent(String(text)));
  // What breaks it off ends the stream, and not the call.
  socket.on("error", () => undefined);
  const tap = (said, heard) => {
    const frames = { inbound: said, outbound: heard };
    for (const one of tracks) media(one, frames[one]);
  };
  telephone.taps.add(tap);
  return {
    stop: () => {
      telephone.taps.delete(tap);
      stop();
    },
  };
}

/** A room where telephones meet: each hears the others. It ends with the first who leaves. */
export function openRoom() {
  const there = [];
  let end;
  const ended = new Promise((done) => (end = done));
  const enter = (telephone) => {
    const waits = [];
    const place = {
      send: (frame) => there.filter((other) => other !== place).forEach((other) => other.hear(frame)),
      hear: (frame) => frame !== SILENCE && waits.push(frame),
      play: () => waits.shift() ?? SILENCE,
      hangUp: () => end(telephone.number),
    };
    there.push(place);
    telephone.holdTo(place);
  };
  return { enter, ended, people: () => there.length };
}
