// Cuts a stream of samples into frames of equal length.

/** 20 ms at 8 kHz, the frame of every telephone network. */
export const FRAME = 160;
export const RATE = 8000;

export class Framer {
  #buffer = new Float32Array(FRAME);
  #filled = 0;

  /** Adds samples; gives each frame that is complete to `emit`. */
  push(samples: Float32Array, emit: (frame: Float32Array) => void): void {
    let at = 0;
    while (at < samples.length) {
      const take = Math.min(FRAME - this.#filled, samples.length - at);
      this.#buffer.set(samples.subarray(at, at + take), this.#filled);
      this.#filled += take;
      at += take;
      if (this.#filled === FRAME) {
        emit(this.#buffer.slice());
        this.#filled = 0;
      }
    }
  }
}

/** Level of a frame, 0..1 over the 60 dB that a meter shows. */
export function level(frame: Float32Array): number {
  let sum = 0;
  for (const v of frame) sum += v * v;
  const db = 10 * Math.log10(sum / Math.max(1, frame.length) + 1e-9);
  return Math.max(0, Math.min(1, (db + 60) / 60));
}
