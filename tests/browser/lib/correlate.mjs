// Whether a known sound is in a recording, and where: normalized cross-correlation, by Fourier transforms of blocks. In a thread of
// its own: the telephones of this process must not wait for it.

import { isMainThread, parentPort, Worker } from "node:worker_threads";

const LONGEST_BLOCK = 1 << 16;
/** A stretch that is softer than this is silence, and resembles nothing. */
const SILENT = 0.004;
/** Of every length of a transform's steps: its roots of unity. */
const ROOTS = new Map();

function rootsOf(size) {
  if (!ROOTS.has(size)) {
    const of = (turn) => Float64Array.from({ length: size / 2 }, (_, k) => turn((2 * Math.PI * k) / size));
    ROOTS.set(size, [of(Math.cos), of(Math.sin)]);
  }
  return ROOTS.get(size);
}

/** In place. `sign`: -1 forward, 1 back (not scaled). */
function transform(re, im, sign) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i += 1) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size <<= 1) {
    const half = size >> 1;
    const [cos, sin] = rootsOf(size);
    for (let from = 0; from < n; from += size) {
      for (let k = 0; k < half; k += 1) {
        const [i, j, c, s] = [from + k, from + k + half, cos[k], sign * sin[k]];
        const [x, y] = [re[j] * c - im[j] * s, re[j] * s + im[j] * c];
        [re[j], im[j]] = [re[i] - x, im[i] - y];
        re[i] += x;
        im[i] += y;
      }
    }
  }
}

function spectrum(samples, length) {
  const [re, im] = [new Float64Array(length), new Float64Array(length)];
  re.set(samples);
  transform(re, im, -1);
  return [re, im];
}

/** Of sounds of one length: each block of the recording is transformed once for all of them. */
function bestOf(sounds, recording) {
  const best = sounds.map(() => ({ likeness: 0, at: -1 }));
  const length = sounds[0]?.length ?? 0;
  if (length === 0 || length > LONGEST_BLOCK / 2) throw new Error(`a sound of ${length} samples cannot be looked for: 1 to ${LONGEST_BLOCK / 2}`);
  // Four times as long as the sound: most of each block counts.
  const size = Math.min(LONGEST_BLOCK, 1 << Math.ceil(Math.log2(length * 4)));
  const sought = sounds.map((sound) => ({ norm: Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0)), of: spectrum(sound, size) }));
  const step = size - length;
  for (let from = 0; from + length <= recording.length; from += step) {
    const block = recording.subarray(from, Math.min(recording.length, from + size));
    if (!block.some((sample) => Math.abs(sample) > SILENT)) continue;
    const [br, bi] = spectrum(block, size);
    const energies = energiesOf(block, length);
    sought.forEach(({ norm, of: [sr, si] }, n) => {
      const [re, im] = [new Float64Array(size), new Float64Array(size)];
      for (let k = 0; k < size; k += 1) {
        re[k] = br[k] * sr[k] + bi[k] * si[k];
        im[k] = bi[k] * sr[k] - br[k] * si[k];
      }
      transform(re, im, 1);
      for (let at = 0; at < energies.length; at += 1) {
        if (energies[at] <= SILENT * SILENT * length) continue;
        const likeness = Math.abs(re[at]) / size / (norm * Math.sqrt(energies[at]));
        if (likeness > best[n].likeness) best[n] = { likeness, at: from + at };
      }
    });
  }
  return best;
}

/** The energy of every stretch of that length in a block, by where it begins. */
function energiesOf(block, length) {
  const all = new Float64Array(Math.max(0, block.length - length + 1));
  let energy = 0;
  for (let i = 0; i < length && i < block.length; i += 1) energy += block[i] * block[i];
  for (let at = 0; at < all.length; at += 1) {
    all[at] = energy;
    energy += (block[at + length] ?? 0) ** 2 - block[at] ** 2;
  }
  return all;
}

let worker = null;
let asked = 0;
const waiting = new Map();

function start() {
  worker = new Worker(new URL(import.meta.url));
  worker.on("message", ({ id, best, failed }) => {
    const { done, fail } = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    if (failed) fail(new Error(failed));
    else done(best);
  });
}

/** Where each of `sounds`, all of one length, is most alike in `recording`: `likeness` 0 to 1 (1: it is there, however loud), and `at`, in samples. */
export function find(sounds, recording) {
  if (!worker) start();
  const id = (asked += 1);
  return new Promise((done, fail) => {
    waiting.set(id, { done, fail });
    worker.ref();
    worker.postMessage({ id, sounds, recording });
  });
}

if (!isMainThread) {
  parentPort.on("message", ({ id, sounds, recording }) => {
    try {
      parentPort.postMessage({ id, best: bestOf(sounds, recording) });
    } catch (error) {
      parentPort.postMessage({ id, failed: error.message });
    }
  });
}
