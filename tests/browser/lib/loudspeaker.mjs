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
        const text = Array.from({ length: Math.floor(samples.length / each) }, (_, at) => {
          const part = samples.subarray(Math.floor(at * each), Math.floor((at + 1) * each));
          return String.fromCharCode(32_768 + Math.round((part.reduce((sum, one) => sum + one, 0) / part.length) * 32_767));
        });
        pieces.push([performance.timeOrigin + performance.now(), text.join("")]);
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
  return {
    /** What was played in that time, node by node. */
    played: async (from = 0, to = Number.MAX_SAFE_INTEGER) => {
      const kept = page.evaluate(
        ([first, last]) => globalThis.keptSound.map(({ pieces }) => pieces.filter(([at]) => at >= first && at <= last).map(([, text]) => text).join("")),
        [from, to],
      );
      const all = await within("the page to tell what it played", 40_000, kept);
      return all.filter((text) => text !== "").map((text) => Float32Array.from({ length: text.length }, (_, at) => (text.charCodeAt(at) - 32_768) / 32_767));
    },
    /** Until when all that was played is known. */
    knownTo: () => page.evaluate(() => Math.max(0, ...globalThis.keptSound.map(({ pieces }) => pieces.at(-1)?.[0] ?? 0))),
    /** Frames that the microphone sent, which are no silence. */
    spoken: () => sent.filter(({ frame }) => energy(Buffer.from(frame, "base64")) > 0.02),
  };
}
