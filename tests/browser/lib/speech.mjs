// What people say on the line: recordings, and sentences that the gateway's own voice says.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { readWav } from "./wav.mjs";

/** A recording of telephone speech, one of those beside QUANDURA_WAV. */
export function recording(name) {
  assert.ok(process.env.QUANDURA_WAV, "set QUANDURA_WAV");
  const { samples, rate } = readWav(readFileSync(join(dirname(process.env.QUANDURA_WAV), `${name}.wav`)));
  assert.equal(rate, 8_000, name);
  return Float32Array.from(samples);
}

const LOUD = 0.01;
/** Without the silence before and after. */
export function trimmed(samples) {
  const [from, to] = [samples.findIndex((one) => Math.abs(one) > LOUD), samples.findLastIndex((one) => Math.abs(one) > LOUD)];
  return samples.slice(Math.max(0, from - 400), to + 400);
}

const said = new Map();
/** A sentence in the voice of `quandura call`, whose own call on the line is of no matter. Said once, for all offices. */
export function sentence(office, words) {
  if (!said.has(words)) said.set(words, render(office, words, said.size));
  return said.get(words);
}

async function render(office, words, n) {
  const file = join(office.folder, `sentence-${n}.wav`);
  const call = office.call(`+1202555019${n}`, [words], "--save-stereo", file);
  assert.equal(await call.ended, 0, `"${words}" could not be said:\n${call.text()}`);
  return Float32Array.from(trimmed(readWav(await readFile(file)).samples));
}
