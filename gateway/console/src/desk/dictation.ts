// What a person says to be written down: sound from the microphone, until they stop or half a minute is over.

import { AudioEngine } from "../audio/engine";

/** Frames of 20 ms that the gateway takes at most. */
const MOST_FRAMES = 1_500;

export class Dictation {
  #frames: Uint8Array[] = [];

  private constructor(private readonly engine: AudioEngine) {}

  /** Asks for the microphone. `onFull`: no more is taken. */
  static async begin(onFull: () => void): Promise<Dictation> {
    const begun: { dictation: Dictation | null } = { dictation: null };
    const engine = await AudioEngine.open({
      onFrame: ({ payload }) => {
        if (begun.dictation?.take(payload)) onFull();
      },
      onReport: () => undefined,
    });
    try {
      await engine.useMicrophone();
    } catch (error) {
      engine.close();
      throw error;
    }
    begun.dictation = new Dictation(engine);
    return begun.dictation;
  }

  /** True with the last frame that there is room for. */
  take(payload: Uint8Array): boolean {
    if (this.#frames.length >= MOST_FRAMES) return false;
    this.#frames.push(payload.slice());
    return this.#frames.length === MOST_FRAMES;
  }

  /** Lets go of the microphone; mu-law at 8 kHz. */
  end(): Uint8Array<ArrayBuffer> {
    this.engine.close();
    const sound = new Uint8Array(this.#frames.reduce((length, frame) => length + frame.length, 0));
    let at = 0;
    for (const frame of this.#frames) {
      sound.set(frame, at);
      at += frame.length;
    }
    return sound;
  }
}
