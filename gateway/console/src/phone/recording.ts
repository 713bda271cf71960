// When a recording should speak. It waits for the greeting to end, as a person would.

/** Quiet after the agent's words that means: now it is my turn. */
const PAUSE_MS = 700;
/** A line that never greets is spoken to all the same. */
const PATIENCE_MS = 8000;
/** Meter level below which the agent is taken as silent. */
const QUIET = 0.08;

export class RecordingCue {
  #spoke = false;
  #quietSince: number | null = null;

  constructor(readonly openedAt: number) {}

  /** Takes the player's report at `now` (ms); true once it is time to speak. */
  update(level: number, queued: number, now: number): boolean {
    const speaking = level > QUIET || queued > 0;
    if (speaking) {
      this.#spoke = true;
      this.#quietSince = null;
      return false;
    }
    this.#quietSince ??= now;
    if (this.#spoke) return now - this.#quietSince >= PAUSE_MS;
    return now - this.openedAt >= PATIENCE_MS;
  }
}
