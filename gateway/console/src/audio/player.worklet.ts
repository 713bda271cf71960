// Audio thread, outbound: mu-law from the gateway to the loudspeaker, with marks reported as they are passed.

import { level, RATE } from "./framer";
import type { PlayerControl, PlayerReport } from "./messages";
import { decode } from "./mulaw";
import { Playout } from "./playout";
import { Resampler } from "./resample";

/** 2 ms at 8 kHz: small, so that a mark is reported close to its moment. */
const STEP = 16;
/** Samples between two reports: 40 ms. */
const REPORT_EVERY = 320;

class Player extends AudioWorkletProcessor {
  readonly #playout = new Playout();
  readonly #resampler = new Resampler(RATE, sampleRate);
  #ready = new Float32Array(0);
  #recent: number[] = [];

  constructor() {
    super();
    this.port.addEventListener("message", (event: MessageEvent<PlayerControl>) => this.#control(event.data));
    this.port.start();
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const out = outputs[0]?.[0];
    if (!out) return true;
    while (this.#ready.length < out.length) this.#more();
    out.set(this.#ready.subarray(0, out.length));
    this.#ready = this.#ready.slice(out.length);
    return true;
  }

  #control(control: PlayerControl): void {
    if (control.kind === "media") this.#playout.push(decode(control.payload), control.hold);
    else if (control.kind === "mark") this.#passed(this.#playout.mark(control.name));
    else this.#passed(this.#playout.clear());
  }

  #more(): void {
    const { samples, marks } = this.#playout.pull(STEP);
    this.#passed(marks);
    const fresh = this.#resampler.push(samples);
    const joined = new Float32Array(this.#ready.length + fresh.length);
    joined.set(this.#ready);
    joined.set(fresh, this.#ready.length);
    this.#ready = joined;
    this.#recent.push(...samples);
    if (this.#recent.length >= REPORT_EVERY) this.#report();
  }

  #report(): void {
    const { queued, underruns } = this.#playout;
    this.#post({ kind: "status", level: level(Float32Array.from(this.#recent)), queued, underruns });
    this.#recent = [];
  }

  #passed(names: string[]): void {
    if (names.length > 0) this.#post({ kind: "marks", names });
  }

  #post(report: PlayerReport): void {
    this.port.postMessage(report);
  }
}

registerProcessor("quandura-player", Player);
