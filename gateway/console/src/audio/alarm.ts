// The sound that says a caller needs a person. Made here, so that there is no file to load when it matters.

/** Hertz and seconds from the start of the chime. Urgent rises twice; a lesser one is a single soft tone. */
const CHIMES = {
  urgent: [
    [660, 0],
    [880, 0.18],
    [660, 0.5],
    [880, 0.68],
  ],
  watch: [[523, 0]],
} as const;
const TONE_S = 0.16;
const LOUDNESS = { urgent: 0.25, watch: 0.12 } as const;

export class Alarm {
  #context: AudioContext | null = null;

  /** Browsers allow sound only after the person has pressed something on the page. */
  async unlock(): Promise<void> {
    this.#context ??= new AudioContext();
    if (this.#context.state === "suspended") await this.#context.resume();
  }

  get canSound(): boolean {
    return this.#context?.state === "running";
  }

  sound(level: keyof typeof CHIMES): void {
    const context = this.#context;
    if (context?.state !== "running") return;
    for (const [pitch, after] of CHIMES[level]) {
      const from = context.currentTime + after;
      const tone = context.createOscillator();
      const volume = context.createGain();
      tone.frequency.value = pitch;
      // Without these slopes each tone begins and ends with a click.
      volume.gain.setValueAtTime(0, from);
      volume.gain.linearRampToValueAtTime(LOUDNESS[level], from + 0.02);
      volume.gain.linearRampToValueAtTime(0, from + TONE_S);
      tone.connect(volume).connect(context.destination);
      tone.start(from);
      tone.stop(from + TONE_S);
    }
  }
}
