import { describe, expect, it } from "vitest";

import { Resampler } from "./resample";

const tone = (hz: number, rate: number, seconds: number): Float32Array =>
  Float32Array.from({ length: Math.round(rate * seconds) }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / rate));
const rms = (x: Float32Array): number => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length);

function convert(from: number, to: number, input: Float32Array, block = 128): Float32Array {
  const resampler = new Resampler(from, to);
  const out: number[] = [];
  for (let i = 0; i < input.length; i += block) out.push(...resampler.push(input.slice(i, i + block)));
  return Float32Array.from(out);
}

describe.each([48_000, 44_100, 16_000])("from %i Hz to 8 kHz", (rate) => {
  it("keeps a voice-band tone at its level and length", () => {
    const out = convert(rate, 8000, tone(1000, rate, 1));
    expect(Math.abs(out.length - 8000)).toBeLessThan(60);
    expect(rms(out.slice(200, -200))).toBeCloseTo(0.3536, 2);
  });

  it("does not fold a sibilant back into the voice band", () => {
    const out = convert(rate, 8000, tone(rate === 16_000 ? 6500 : 7000, rate, 0.5));
    expect(rms(out.slice(200, -200))).toBeLessThan(0.002);
  });
});

it("goes up without images", () => {
  const out = convert(8000, 48_000, tone(440, 8000, 0.5), 160);
  const back = convert(48_000, 8000, out);
  expect(rms(back.slice(200, -200))).toBeCloseTo(0.3536, 2);
});

it("gives the same whatever the block size", () => {
  const input = tone(700, 44_100, 0.2);
  expect([...convert(44_100, 8000, input, 128)]).toEqual([...convert(44_100, 8000, input, 1000)]);
});
