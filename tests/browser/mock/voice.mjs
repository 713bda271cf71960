// Just enough mu-law to make a tone and to tell sound from silence.

const decode = (byte) => {
  const bits = ~byte & 0xff;
  const magnitude = (((bits & 0x0f) << 3) + 0x84) << ((bits >> 4) & 7);
  return (bits & 0x80 ? 0x84 - magnitude : magnitude - 0x84) / 32_768;
};
const TABLE = Float32Array.from({ length: 256 }, (_, byte) => decode(byte));

/** Root mean square of a frame, 0..1. */
export function energy(bytes) {
  let sum = 0;
  for (const byte of bytes) sum += TABLE[byte] ** 2;
  return Math.sqrt(sum / Math.max(1, bytes.length));
}

function encode(value) {
  const sample = Math.round(Math.max(-1, Math.min(1, value)) * 32_635);
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

/** Frames of 20 ms with a tone that swells and fades like syllables. */
export function tone(frames) {
  return Array.from({ length: frames }, (_, f) =>
    Buffer.from(
      Array.from({ length: 160 }, (_, i) => {
        const t = (f * 160 + i) / 8000;
        return encode(0.25 * Math.sin(2 * Math.PI * 180 * t) * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * t)));
      }),
    ),
  );
}
