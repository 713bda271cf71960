// A voice that makes a tone.

import { encode, FRAME_BYTES, RATE } from "../lib/mulaw.mjs";

export { energy } from "../lib/mulaw.mjs";

/** Frames of 20 ms with a tone that swells and fades like syllables. */
export function tone(frames) {
  return Array.from({ length: frames }, (_, f) =>
    Buffer.from(
      Array.from({ length: FRAME_BYTES }, (_, i) => {
        const t = (f * FRAME_BYTES + i) / RATE;
        return encode(0.25 * Math.sin(2 * Math.PI * 180 * t) * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * t)));
      }),
    ),
  );
}
