// Audio thread, inbound: the microphone (or a file) to 20 ms frames of mu-law at 8 kHz.

import { Framer, level, RATE } from "./framer";
import type { CaptureControl, CapturedFrame } from "./messages";
import { encode } from "./mulaw";
import { Resampler } from "./resample";

const QUANTUM = 128;

class Capture extends AudioWorkletProcessor {
  readonly #resampler = new Resampler(sampleRate, RATE);
  readonly #framer = new Framer();
  #muted = false;

  constructor() {
    super();
    this.port.addEventListener("message", (event: MessageEvent<CaptureControl>) => {
      this.#muted = event.data.muted;
    });
    this.port.start();
  }

  process(inputs: Float32Array[][]): boolean {
    // No input, or muted: silence is still sent, because the far end counts time by frames.
    const input = this.#muted ? undefined : inputs[0]?.[0];
    this.#framer.push(this.#resampler.push(input ?? new Float32Array(QUANTUM)), (frame) => {
      const message: CapturedFrame = { payload: encode(frame), level: level(frame) };
      this.port.postMessage(message, [message.payload.buffer]);
    });
    return true;
  }
}

registerProcessor("quandura-capture", Capture);
