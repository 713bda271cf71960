// Telephone sound: mu-law at 8 kHz, in frames of 20 ms.

export const RATE = 8_000;
export const FRAME_MS = 20;
export const FRAME_BYTES = 160;
export const SILENCE = Buffer.alloc(FRAME_BYTES, 0xff);

const decode = (byte) => {
  const bits = ~byte & 0xff;
  const magnitude = (((bits & 0x0f) << 3) + 0x84) << ((bits >> 4) & 7);
  return (bits & 0x80 ? 0x84 - magnitude : magnitude - 0x84) / 32_768;
};
const TABLE = Float32Array.from({ length: 256 }, (_, byte) => decode(byte));

/** One sample in -1..1. */
export function encode(value) {
  const sample = Math.round(Math.max(-1, Math.min(1, value)) * 32_635);
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

/** Root mean square of a frame, 0..1. */
export function energy(bytes) {
  let sum = 0;
  for (const byte of bytes) sum += TABLE[byte] ** 2;
  return Math.sqrt(sum / Math.max(1, bytes.length));
}

/** Samples in -1..1 as frames; the last one is filled up with silence. */
export function framesOf(samples) {
  return Array.from({ length: Math.ceil(samples.length / FRAME_BYTES) }, (_, n) => {
    const frame = Buffer.from(SILENCE);
    samples.slice(n * FRAME_BYTES, (n + 1) * FRAME_BYTES).forEach((sample, at) => (frame[at] = encode(sample)));
    return frame;
  });
}

export function samplesOf(frames) {
  const samples = new Float32Array(frames.length * FRAME_BYTES);
  frames.forEach((frame, n) => frame.forEach((byte, at) => (samples[n * FRAME_BYTES + at] = TABLE[byte])));
  return samples;
}
