// The voice side: a websocket that behaves like the gateway's, with tones for a voice and a fixed conversation.

import { WebSocketServer } from "ws";

import { deskUpgrade } from "./desk.mjs";
import { energy, tone } from "./voice.mjs";

const FRAME_MS = 20;
/** Frames ahead of play-out, as the gateway's cushion: 140 ms. */
const LEAD = 7;
const ANSWERS = [
  "I can take that down. Which street is it on?",
  "Thank you. The road crew has it, and your reference is R B 2 0 4 3.",
  "Is there anything else?",
];

const SAID = "The street light on Oak Street is out again.";
const STAGES = { endpointing: 320, stt_final: 18, guard: 0.3, retrieval: 5, orchestrator: 2, llm_first_token: 40, first_clause: 20, rules: 0.4, tts_first_byte: 88, pacing: 14 };

export function attachMedia(server, mock) {
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (deskUpgrade(mock, sockets, request, socket, head)) return;
    if (mock.refuse === "socket" || request.url !== "/v1/phone/media") {
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (peer) => new Line(mock, peer));
  });
}

/** One call. What came in is kept for tests: events in order, media count, loudest frame, marks echoed. */
class Line {
  seen = [];
  media = 0;
  peak = 0;
  marks = [];
  digits = "";
  stopped = false;
  closed = false;
  #turn = 0;
  #out = [];
  #timer;
  #speech = 0;
  #quiet = 0;
  #words = 0;
  #hearing = false;
  #sentAhead = 0;
  #spokeAt = 0;
  #clearedAt = 0;
  pending = null;

  constructor(mock, peer) {
    this.mock = mock;
    this.peer = peer;
    mock.phone = this;
    peer.on("message", (data) => this.#onMessage(JSON.parse(data.toString())));
    peer.on("close", () => {
      this.closed = true;
      clearInterval(this.#timer);
      this.call?.end("caller_hung_up");
    });
  }

  #onMessage(message) {
    if (message.event !== "media") this.seen.push(message);
    if (message.event === "start") this.#start(message);
    if (message.event === "media") this.#onMedia(Buffer.from(message.media.payload, "base64"), message);
    if (message.event === "mark") this.#onMark(message.mark.name);
    if (message.event === "dtmf") {
      this.digits += message.dtmf.digit;
      this.call.emit("call.dtmf", { turn: this.#turn, digits: message.dtmf.digit });
    }
    if (message.event === "stop") this.stopped = true;
  }

  #start(message) {
    if (this.mock.refuse === "policy") {
      this.peer.close(1008, "token already used");
      return;
    }
    this.call = this.mock.calls.get(message.start.customParameters.token);
    this.call.onHangUp = () => {
      this.call.end("supervisor_hung_up");
      this.peer.close(1000);
    };
    this.streamSid = message.streamSid;
    this.#timer = setInterval(() => this.#pace(), FRAME_MS);
    this.#say("Riverbend County. How can I help?", "notice");
  }

  /** A quarter of a second of tone per word, then a mark. What was heard is known when the mark comes back. */
  #say(text, kind = "reply") {
    const turn = this.#turn;
    this.#spokeAt = Date.now();
    this.call.say(turn, 0, text, kind);
    const name = `turn-${turn}-end`;
    for (const frame of tone(text.split(" ").length * 12)) this.#out.push({ frame });
    this.#out.push({ mark: name, turn, text });
  }

  #pace() {
    this.#sentAhead = Math.max(0, this.#sentAhead - 1);
    while (this.#out.length > 0 && this.#sentAhead < LEAD) {
      const item = this.#out.shift();
      if (item.frame) {
        this.#send({ event: "media", media: { payload: item.frame.toString("base64") } });
        this.#sentAhead += 1;
      } else {
        this.pending = item;
        this.#send({ event: "mark", mark: { name: item.mark } });
      }
    }
  }

  #onMark(name) {
    const now = Date.now();
    this.marks.push({ name, afterMs: now - this.#spokeAt, sinceClearMs: now - this.#clearedAt });
    if (this.pending?.mark === name) {
      this.call.heard(this.pending.turn, this.pending.text);
      this.pending = null;
    }
  }

  #onMedia(bytes, message) {
    this.media += 1;
    this.lastMedia = message;
    const loud = energy(bytes);
    this.peak = Math.max(this.peak, loud);
    if (loud > 0.02) {
      this.#speech += 1;
      this.#quiet = 0;
      if (this.#speech === 10) this.#onSpeech();
      if (this.#hearing && this.#speech % 15 === 0) this.#interim();
    } else if (this.#speech > 0) {
      this.#quiet += 1;
      if (this.#quiet >= 25) this.#onSilence();
    }
  }

  /** The caller speaks. Over an answer, that stops it; over the greeting, it is not listened to. */
  #onSpeech() {
    const playing = this.pending ?? this.#out.find((item) => item.mark);
    if (playing?.turn === 0) return;
    if (playing) {
      this.#out = [];
      this.#sentAhead = 0;
      this.pending = null;
      // A mark behind audio that is about to be cleared must come back at once.
      this.#send({ event: "mark", mark: { name: `${playing.mark}-cut` } });
      this.#clearedAt = Date.now();
      this.#send({ event: "clear" });
      this.call.interrupt(playing.turn, playing.text.split(" ").slice(0, 3).join(" "));
    }
    this.#hearing = true;
    this.#turn += 1;
    this.#words = 0;
  }

  #interim() {
    this.#words += 2;
    this.call.interim(this.#turn, SAID.split(" ").slice(0, this.#words).join(" ").toLowerCase());
  }

  #onSilence() {
    this.#speech = 0;
    this.#quiet = 0;
    if (!this.#hearing) return;
    this.#hearing = false;
    const turn = this.#turn;
    this.call.final(turn, SAID);
    this.call.measure(turn, STAGES, { speculative: turn % 2 === 1 });
    if (turn === 1) {
      this.call.tool(1, "file_report");
      this.call.takeDown("incident_report", "Street light out on Oak Street", "RB-2043", [{ name: "location", value: "⟨address:1⟩" }]);
    }
    this.#say(ANSWERS[(turn - 1) % ANSWERS.length]);
  }

  #send(message) {
    if (this.peer.readyState === this.peer.OPEN) this.peer.send(JSON.stringify({ streamSid: this.streamSid, ...message }));
  }
}
