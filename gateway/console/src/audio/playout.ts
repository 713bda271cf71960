// The play-out queue: audio and marks in the order they came, given out at real time.
//
// A mark is reported when the audio before it has been given to the speaker, not when it was received: the gateway's
// record of what the caller heard rests on that. `clear` reports every outstanding mark at once, as carriers do.

type Item = { samples: Float32Array } | { mark: string };

export interface Pulled {
  samples: Float32Array;
  marks: string[];
}

/** Samples to gather before speech begins, so that a late packet makes no gap. */
const PRIME = 480;
/** Pulls without new audio after which waiting samples are played even if they are few: a short last word. */
const PRIME_PATIENCE = 480;

export class Playout {
  #queue: Item[] = [];
  #queued = 0;
  #offset = 0;
  #playing = false;
  #waited = 0;
  /** Samples of time to wait before speech begins; null: until enough is gathered. */
  #hold: number | null = null;
  #underruns = 0;

  /** Samples waiting to be played. */
  get queued(): number {
    return this.#queued;
  }
  /** Times that speech ran dry before a mark said it was over. */
  get underruns(): number {
    return this.#underruns;
  }

  /** `hold`: samples of time for which what begins is held back, where the sender gathers more than is gathered here. */
  push(samples: Float32Array, hold?: number): void {
    if (samples.length === 0) return;
    if (this.#queue.length === 0) this.#hold = null;
    // What comes behind it may show that the first was older than it seemed.
    if (hold !== undefined && !this.#playing) this.#hold = Math.min(this.#hold ?? Infinity, this.#waited + hold - this.#queued);
    this.#queue.push({ samples });
    this.#queued += samples.length;
  }

  /** Gives the mark back at once when nothing is queued before it. */
  mark(name: string): string[] {
    if (this.#queue.length === 0) return [name];
    this.#queue.push({ mark: name });
    return [];
  }

  /** Drops all audio; gives every mark that was waiting, in order. */
  clear(): string[] {
    const marks = this.#queue.flatMap((item) => ("mark" in item ? [item.mark] : []));
    this.#queue = [];
    this.#queued = 0;
    this.#offset = 0;
    this.#stop();
    return marks;
  }

  /** The next `count` samples (silence where there are none), and the marks passed on the way. */
  pull(count: number): Pulled {
    const samples = new Float32Array(count);
    const marks: string[] = [];
    if (!this.#ready(count)) return { samples, marks };
    let filled = 0;
    for (;;) {
      const head = this.#queue[0];
      if (!head) break;
      if ("mark" in head) {
        marks.push(head.mark);
        this.#queue.shift();
      } else if (filled === count) {
        break;
      } else {
        filled += this.#take(head.samples, samples, filled);
      }
    }
    if (this.#queue.length === 0) {
      if (filled < count && marks.length === 0) this.#underruns += 1;
      this.#stop();
    }
    return { samples, marks };
  }

  #take(from: Float32Array, to: Float32Array, at: number): number {
    const take = Math.min(from.length - this.#offset, to.length - at);
    to.set(from.subarray(this.#offset, this.#offset + take), at);
    this.#offset += take;
    this.#queued -= take;
    if (this.#offset === from.length) {
      this.#queue.shift();
      this.#offset = 0;
    }
    return take;
  }

  #ready(count: number): boolean {
    if (this.#queue.length === 0) return false;
    if (!this.#playing) {
      this.#waited += count;
      const gathered = this.#queued >= PRIME || this.#waited > PRIME_PATIENCE;
      this.#playing = this.#hold === null ? gathered : this.#waited >= this.#hold;
    }
    return this.#playing;
  }

  #stop(): void {
    this.#playing = false;
    this.#waited = 0;
  }
}
