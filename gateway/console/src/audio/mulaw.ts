// G.711 mu-law, as the carriers speak it: 16-bit samples to bytes and back, both by table.

/** Bytes of silence. 0x7F is negative zero and also silent, but carriers send 0xFF. */
export const SILENCE = 0xff;
const BIAS = 0x84;
const CLIP = 32_635;

export function encodeSample(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS;
  // The exponent is the place of the highest bit, counted from bit 7.
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

export function decodeSample(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = (((bits & 0x0f) << 3) + BIAS) << ((bits >> 4) & 0x07);
  return bits & 0x80 ? BIAS - magnitude : magnitude - BIAS;
}

const DECODED = Float32Array.from({ length: 256 }, (_, byte) => decodeSample(byte) / 32_768);

/** Samples in -1..1 to bytes; what lies outside is clipped. */
export function encode(samples: Float32Array): Uint8Array {
  const out = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) {
    const value = Math.max(-1, Math.min(1, samples[i] ?? 0));
    out[i] = encodeSample(Math.round(value * 32_767));
  }
  return out;
}

export function decode(bytes: Uint8Array): Float32Array {
  const out = new Float32Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 1) out[i] = DECODED[bytes[i] ?? SILENCE] ?? 0;
  return out;
}
