// Two voices of a call through this machine's loudspeaker, each with its own small jitter buffer. No microphone.

import type { PlayerControl } from "./messages";
import { RATE } from "./framer";
import playerUrl from "./player.worklet.ts?worker&url";

/** Milliseconds for which the gateway gathers what is listened to, and what a late message may take besides. */
const GATHERED = 250;
const SLACK = 60;

/** How old a frame is when it comes, by the freshest that ever came. */
export class Ages {
  #freshest = Infinity;

  /** Milliseconds; `at` of the call, `now` of this machine. */
  of(at: number, now: number): number {
    this.#freshest = Math.min(this.#freshest, now - at);
    return now - at - this.#freshest;
  }
}

/** Samples of time for which a frame of that age waits if nothing plays before it: then the next message is there in time. */
export function holdBack(age: number): number {
  return Math.max(0, Math.round(((GATHERED + SLACK - age) * RATE) / 1000));
}

/** What of a node of the audio graph is needed here. */
interface Source {
  connect(to: AudioNode): unknown;
  disconnect(): void;
}

/** Which of the listener's ears each voice goes to. */
export class Placing {
  readonly #ways: readonly { source: Source; own: AudioNode }[];
  #apart: boolean | null = null;

  constructor(
    readonly loudspeaker: AudioNode,
    caller: Source,
    office: Source,
    /** Leads to one ear alone: -1 is the left, 1 the right. */
    toOneEar: (pan: number) => AudioNode,
  ) {
    this.#ways = [
      { source: caller, own: toOneEar(-1) },
      { source: office, own: toOneEar(1) },
    ];
  }

  /** Also in mid-sound. Not apart, both voices take the direct way: a panner in the middle would make them quieter by 3 dB. */
  set(apart: boolean): void {
    if (this.#apart === apart) return;
    this.#apart = apart;
    for (const { source, own } of this.#ways) {
      source.disconnect();
      source.connect(apart ? own : this.loudspeaker);
    }
  }
}

export class Ears {
  readonly #ages = new Ages();

  private constructor(
    readonly context: AudioContext,
    readonly caller: AudioWorkletNode,
    readonly office: AudioWorkletNode,
    readonly placing: Placing,
  ) {}

  /** Must be called from a click or key press: browsers start no sound without one. `apart`: the caller left, the agent right. */
  static async open(apart: boolean): Promise<Ears> {
    const context = new AudioContext({ latencyHint: "interactive" });
    try {
      await context.audioWorklet.addModule(playerUrl);
      const player = (): AudioWorkletNode => {
        const mono: AudioWorkletNodeOptions = { numberOfInputs: 0, channelCount: 1, channelCountMode: "explicit", outputChannelCount: [1] };
        return new AudioWorkletNode(context, "quandura-player", mono);
      };
      const toOneEar = (pan: number): AudioNode => {
        const panner = new StereoPannerNode(context, { pan });
        panner.connect(context.destination);
        return panner;
      };
      const [caller, office] = [player(), player()];
      const ears = new Ears(context, caller, office, new Placing(context.destination, caller, office, toOneEar));
      ears.placing.set(apart);
      await context.resume();
      return ears;
    } catch (error) {
      void context.close();
      throw error;
    }
  }

  /** `at`: when it was heard on the call. `gathered`: the gateway sends several frames at once. */
  hear(side: "caller" | "office", payload: Uint8Array, at: number, gathered: boolean): void {
    const age = this.#ages.of(at, performance.now());
    const media = gathered ? { kind: "media" as const, payload, hold: holdBack(age) } : { kind: "media" as const, payload };
    this[side].port.postMessage(media satisfies PlayerControl);
  }

  /** What was sent to the caller and not played yet never will be. */
  clear(): void {
    this.office.port.postMessage({ kind: "clear" } satisfies PlayerControl);
  }

  close(): void {
    if (this.context.state !== "closed") void this.context.close();
  }
}
