// Streaming sample-rate conversion by a windowed-sinc filter, exact for any pair of whole rates.
//
// Going down, the filter's cut-off lies below the lower rate's half, so that sibilants do not fold back as noise that a
// recogniser would hear as speech. Going up, the same filter removes the images.

/** Zero crossings on each side of the filter's centre. More is sharper and slower. */
const LOBES = 16;

export class Resampler {
  /** Places are counted in whole steps of 1/phases of an input sample, so no rounding adds up over a long call. */
  readonly #phases: number;
  readonly #step: number;
  readonly #half: number;
  readonly #taps: number;
  readonly #table: Float32Array;
  #history: Float32Array;
  /** Place of the next output sample, from the start of the history. */
  #position: number;

  constructor(from: number, to: number) {
    const common = gcd(from, to);
    this.#phases = to / common;
    this.#step = from / common;
    const cutoff = Math.min(1, to / from) * 0.94;
    this.#half = Math.ceil(LOBES / cutoff);
    this.#taps = this.#half * 2;
    this.#table = filterTable(cutoff, this.#half, this.#phases);
    this.#history = new Float32Array(this.#taps);
    this.#position = this.#half * this.#phases;
  }

  /** Converts the next stretch. The output may be empty, and lags by half the filter's length. */
  push(input: Float32Array): Float32Array {
    const data = new Float32Array(this.#history.length + input.length);
    data.set(this.#history);
    data.set(input, this.#history.length);
    const end = (data.length - this.#half) * this.#phases;
    const out = new Float32Array(Math.max(0, Math.ceil((end - this.#position) / this.#step)));
    for (let i = 0; i < out.length; i += 1) {
      out[i] = this.#sample(data, this.#position);
      this.#position += this.#step;
    }
    // Keep what the next output still needs.
    const drop = Math.max(0, Math.floor(this.#position / this.#phases) - this.#half);
    this.#history = data.slice(drop);
    this.#position -= drop * this.#phases;
    return out;
  }

  #sample(data: Float32Array, at: number): number {
    const row = (at % this.#phases) * this.#taps;
    const first = Math.floor(at / this.#phases) - this.#half + 1;
    let sum = 0;
    for (let tap = 0; tap < this.#taps; tap += 1) sum += (data[first + tap] ?? 0) * (this.#table[row + tap] ?? 0);
    return sum;
  }
}

/** One row of taps per phase, each summing to 1 so that the level is kept. */
function filterTable(cutoff: number, half: number, phases: number): Float32Array {
  const taps = half * 2;
  const table = new Float32Array(phases * taps);
  for (let phase = 0; phase < phases; phase += 1) {
    const row = table.subarray(phase * taps, (phase + 1) * taps);
    for (let tap = 0; tap < taps; tap += 1) {
      const x = tap - half + 1 - phase / phases;
      row[tap] = sinc(cutoff * x) * blackman(x / half);
    }
    const sum = row.reduce((total, value) => total + value, 0);
    for (let tap = 0; tap < taps; tap += 1) row[tap] = (row[tap] ?? 0) / sum;
  }
  return table;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
const blackman = (x: number): number =>
  Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x);
