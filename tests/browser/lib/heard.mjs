// Who heard what: a known sound in what somebody heard, or not. Where that is not as it has to be, what they heard is beside the
// pictures as a WAV file.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { SHOTS } from "./browser.mjs";
import { find } from "./correlate.mjs";
import { RATE } from "./mulaw.mjs";
import { wav } from "./wav.mjs";

/** From here on it is the same sound, whatever filters did to it; other speech stays below the second. */
const THERE = 0.6;
const NOT_THERE = 0.45;
const PARTS = 3;
/** A loudspeaker is behind, and a busy browser tells late what it played. */
const PLAYED_MS = 15_000;
/** Looking takes long itself there. */
const LOOKS = 4;

/** Half as many samples: what makes speech is there still, and it is found in a fourth of the time. */
const halved = (samples) => Float32Array.from({ length: samples.length >> 1 }, (_, at) => (samples[2 * at] + samples[2 * at + 1]) / 2);

/** By parts, and of these the one in the middle: a moment that a busy loudspeaker missed shifts all that comes after it. */
export async function likeness(sound, samples) {
  const [looked, all] = [halved(sound), halved(samples)];
  const length = Math.floor(looked.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, n) => find(looked.slice(n * length, (n + 1) * length), all));
  const best = (await Promise.all(parts)).map(({ likeness: alike, at }, n) => ({ likeness: alike, at: Math.max(0, at - n * length) * 2 }));
  return best.sort((a, b) => a.likeness - b.likeness)[Math.floor(PARTS / 2)];
}

const loudest = (samples) => samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
async function fail(who, what, { likeness: alike, at }, samples, wanted) {
  const file = join(SHOTS, `heard-${who}-${what}`.replace(/\W+/g, "-").slice(0, 120) + ".wav");
  await writeFile(file, wav([...samples], RATE));
  const seconds = `${(samples.length / RATE).toFixed(1)} s heard (loudest ${loudest(samples).toFixed(3)})`;
  assert.fail(`${who}: "${what}" has a likeness of ${alike.toFixed(3)} at second ${(at / RATE).toFixed(1)} of the ${seconds}; ${wanted}. Listen to ${file}`);
}

/** `what` names the sound; gives where it was heard, in seconds. */
export async function hears(who, what, sound, samples, least = THERE) {
  const best = await likeness(sound, samples);
  if (best.likeness < least) await fail(who, what, best, samples, `they had to hear it, and it would be ${least} at least`);
  return best.at / RATE;
}

export async function hearsNot(who, what, sound, samples, most = NOT_THERE) {
  const best = await likeness(sound, samples);
  if (best.likeness > most) await fail(who, what, best, samples, `they were not to hear it, and it would be ${most} at most`);
}

/** Of several loudspeakers one plays it, or will in a moment. `played` gives what they have played so far. */
export async function playedOn(who, what, sound, played) {
  const end = Date.now() + PLAYED_MS;
  for (let tries = 1; ; tries += 1) {
    const streams = (await played()).filter((samples) => loudest(samples) > 0.01);
    const all = await Promise.all(streams.map((samples) => likeness(sound, samples)));
    const most = all.reduce((best, one, n) => (one.likeness > (all[best]?.likeness ?? -1) ? n : best), 0);
    if (all[most]?.likeness >= THERE || (Date.now() > end && tries > LOOKS)) return hears(who, what, sound, streams[most] ?? new Float32Array(0));
    await new Promise((done) => setTimeout(done, 500));
  }
}
