import { describe, expect, it } from "vitest";

import { decode, decodeSample, encode, encodeSample, SILENCE } from "./mulaw";

describe("mu-law", () => {
  it("matches the reference points of G.711", () => {
    expect([0, 32_767, -32_768, 1000, -1000].map(encodeSample)).toEqual([0xff, 0x80, 0x00, 0xce, 0x4e]);
    expect([0xff, 0x7f, 0x80, 0x00].map(decodeSample)).toEqual([0, 0, 32_124, -32_124]);
  });

  it("gives every byte back, but for negative zero", () => {
    for (let byte = 0; byte < 256; byte += 1) {
      expect(encodeSample(decodeSample(byte))).toBe(byte === 0x7f ? SILENCE : byte);
    }
  });

  it("stays within the quantising step of the input", () => {
    for (let s = -32_000; s <= 32_000; s += 37) {
      const error = Math.abs(decodeSample(encodeSample(s)) - s);
      expect(error).toBeLessThanOrEqual(Math.max(8, Math.abs(s) / 16));
    }
  });

  it("clips what is too loud instead of wrapping", () => {
    expect([...encode(Float32Array.of(2, -2, 0))]).toEqual([0x80, 0x00, 0xff]);
    expect(decode(Uint8Array.of(0xff))[0]).toBe(0);
  });
});
