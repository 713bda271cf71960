// Who heard what: a known sound in what somebody heard, or not. Where that is not as it has to be, what they heard is beside the
// pictures as a WAV file.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { SHOTS, within } from "./browser.mjs";
import { find } from "./correlate.mjs";
import { RATE } from "./mulaw.mjs";
import { wav } from "./wav.mjs";

/** From here on it is the same sound, whatever filters did to it; other speech stays below the second. */
const THERE = 0.6;
const NOT_THERE = 0.45;
/** A sound is looked for by parts of about so many seconds: long enough that other speech is not like them. */
const PART_S = 0.67;
const LEAST_PARTS = 3;
/** Softer parts are pauses. */
const PAUSE = 0.03;
/** How much of a sound is looked for on a loudspeaker: a busy browser leaves gaps. */
const LOUDSPEAKER = 1 / 3;
/** A loudspeaker is behind, and a busy browser tells late what it played. */
const PLAYED_MS = 15_000;
/** Looking takes long itself there. */
const LOOKS = 4;

/** Half as many samples: what makes speech is there still, and it is found in a fourth of the time. */
const halved = (samples) => Float32Array.from({ length: samples.length >> 1 }, (_, at) => (samples[2 * at] + samples[2 * at + 1]) / 2);

/**
 * By parts: a moment that was missed shifts all that comes after it. Of these the one in the middle; or, with a `share` of a third,
 * the one that a third of them are at least as like as, two in any case.
 */
export async function likeness(sound, samples, share = 1 / 2) {
  const [looked, all] = [halved(sound), halved(samples)];
  const count = Math.max(LEAST_PARTS, Math.round(sound.length / (PART_S * RATE)));
  const length = Math.floor(looked.length / count);
  const parts = Array.from({ length: count }, (_, n) => ({ n, part: looked.slice(n * length, (n + 1) * length) })).filter(({ part }) => loudest(part) > PAUSE);
  const seconds = `${(sound.length / RATE).toFixed(1)} s of sound in ${(samples.length / RATE).toFixed(1)} s`;
  const found = await within(`where ${seconds} are`, 90_000, find(parts.map(({ part }) => part), all));
  const best = found.map(({ likeness: alike, at }, n) => ({ likeness: alike, at: Math.max(0, at - parts[n].n * length) * 2 })).sort((x, y) => y.likeness - x.likeness);
  return best[Math.min(best.length, Math.max(2, Math.ceil(best.length * share))) - 1];
}

const loudest = (samples) => samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
async function fail(who, what, { likeness: alike, at }, samples, wanted) {
  const file = join(SHOTS, `heard-${who}-${what}`.replace(/\W+/g, "-").slice(0, 120) + ".wav");
  await writeFile(file, wav([...samples], RATE));
  const seconds = `${(samples.length / RATE).toFixed(1)} s heard (loudest ${loudest(samples).toFixed(3)})`;
  assert.fail(`${who}: "${what}" has a likeness of ${alike.toFixed(3)} at second ${(at / RATE).toFixed(1)} of the ${seconds}; ${wanted}. Listen to ${file}`);
}

/** `what` names the sound; gives where it was heard, in seconds. */
export async function hears(who, what, sound, samples, least = THERE, share = undefined) {
  const best = await likeness(sound, samples, share);
  if (best.likeness < least) await fail(who, what, best, samples, `they had to hear it, and it would be ${least} at least`);
  return best.at / RATE;
}

export async function hearsNot(who, what, sound, samples, most = NOT_THERE) {
  const best = await likeness(sound, samples);
  if (best.likeness > most) await fail(who, what, best, samples, `they were not to hear it, and it would be ${most} at most`);
}

/** Of several loudspeakers one plays it, or will in a moment: of what a busy browser plays, parts. `played` gives what they have played so far. */
export async function playedOn(who, what, sound, played) {
  const end = Date.now() + PLAYED_MS;
  for (let tries = 1; ; tries += 1) {
    const streams = (await played()).filter((samples) => loudest(samples) > 0.01);
    const all = await Promise.all(streams.map((samples) => likeness(sound, samples, LOUDSPEAKER)));
    const most = all.reduce((best, one, n) => (one.likeness > (all[best]?.likeness ?? -1) ? n : best), 0);
    if (all[most]?.likeness >= THERE || (Date.now() > end && tries > LOOKS)) return hears(who, what, sound, streams[most] ?? new Float32Array(0), THERE, LOUDSPEAKER);
    await new Promise((done) => setTimeout(done, 500));
  }
}
