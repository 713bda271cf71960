// What a page plays and what its microphone sends, as the browser has them.

import { within } from "./browser.mjs";
import { energy, RATE } from "./mulaw.mjs";
import { time } from "./telephone.mjs";

/** Runs in the page before its own scripts: keeps all sound that is led to the loudspeaker, each node's for itself, at 8 kHz. */
function keep(rate) {
  const kept = (globalThis.keptSound = []);
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function kept_(to, ...rest) {
    if (to instanceof AudioDestinationNode && !(this instanceof ScriptProcessorNode)) {
      const ear = to.context.createScriptProcessor(16_384, 1, 1);
      const pieces = [];
      // Held, or it is collected in mid-sound.
      kept.push({ ear, pieces });
      ear.onaudioprocess = ({ inputBuffer: sound }) => {
        const [samples, each] = [sound.getChannelData(0), sound.sampleRate / rate];
        const kept16 = new Int16Array(Math.floor(samples.length / each));
        for (let at = 0; at < kept16.length; at += 1) {
          const [begin, end] = [Math.floor(at * each), Math.floor((at + 1) * each)];
          let sum = 0;
          for (let i = begin; i < end; i += 1) sum += samples[i];
          kept16[at] = Math.round(Math.max(-1, Math.min(1, sum / (end - begin))) * 32_767);
        }
        // As ASCII: what goes to the test as other text arrives with its loud moments replaced.
        pieces.push([performance.timeOrigin + performance.now(), btoa(String.fromCharCode(...new Uint8Array(kept16.buffer)))]);
      };
      connect.call(this, ear);
      connect.call(ear, to);
    }
    return connect.call(this, to, ...rest);
  };
}

/** Listens in on a page that is not opened yet. */
export async function tapPage(page) {
  await page.addInitScript(`(${keep})(${RATE})`);
  const sent = [];
  page.on("websocket", (socket) => {
    if (!new URL(socket.url()).pathname.endsWith("/speak")) return;
    socket.on("framesent", ({ payload }) => typeof payload !== "string" && sent.push({ at: time(), frame: payload.toString("base64") }));
  });
  /** What each node has played, as far as it was told: the page is asked for what is new alone. */
  const known = [];
  async function learn() {
    const asked = page.evaluate((counts) => globalThis.keptSound.map(({ pieces }, n) => pieces.slice(counts[n] ?? 0)), known.map(({ length }) => length));
    const news = await within("the page to tell what it played", 40_000, asked);
    news.forEach((pieces, n) => {
      known[n] ??= [];
      for (const [at, text] of pieces) known[n].push({ at, samples: samplesIn(text) });
    });
  }
  return {
    /** What was played in that time, node by node. */
    played: async (from = 0, to = Number.MAX_SAFE_INTEGER) => {
      await learn();
      return known.map((pieces) => joined(pieces.filter(({ at }) => at >= from && at <= to))).filter(({ length }) => length > 0);
    },
    /** Until when all that was played is known. */
    knownTo: () => page.evaluate(() => Math.max(0, ...globalThis.keptSound.map(({ pieces }) => pieces.at(-1)?.[0] ?? 0))),
    /** Frames that the microphone sent, which are no silence. */
    spoken: () => sent.filter(({ frame }) => energy(Buffer.from(frame, "base64")) > 0.02),
  };
}

function samplesIn(text) {
  const bytes = Buffer.from(text, "base64");
  return Float32Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(at * 2) / 32_767);
}

function joined(pieces) {
  const all = new Float32Array(pieces.reduce((sum, { samples }) => sum + samples.length, 0));
  pieces.reduce((at, { samples }) => (all.set(samples, at), at + samples.length), 0);
  return all;
}
