// Two voices of a call through this machine's loudspeaker, each with its own small jitter buffer. No microphone.

import type { PlayerControl } from "./messages";
import playerUrl from "./player.worklet.ts?worker&url";

export class Ears {
  private constructor(
    readonly context: AudioContext,
    readonly caller: AudioWorkletNode,
    readonly office: AudioWorkletNode,
  ) {}

  /** Must be called from a click or key press: browsers start no sound without one. */
  static async open(): Promise<Ears> {
    const context = new AudioContext({ latencyHint: "interactive" });
    try {
      await context.audioWorklet.addModule(playerUrl);
      const player = (): AudioWorkletNode => {
        const mono: AudioWorkletNodeOptions = { numberOfInputs: 0, channelCount: 1, channelCountMode: "explicit", outputChannelCount: [1] };
        const node = new AudioWorkletNode(context, "quandura-player", mono);
        node.connect(context.destination);
        return node;
      };
      const ears = new Ears(context, player(), player());
      await context.resume();
      return ears;
    } catch (error) {
      void context.close();
      throw error;
    }
  }

  hear(side: "caller" | "office", payload: Uint8Array): void {
    this[side].port.postMessage({ kind: "media", payload } satisfies PlayerControl);
  }

  /** What was sent to the caller and not played yet never will be. */
  clear(): void {
    this.office.port.postMessage({ kind: "clear" } satisfies PlayerControl);
  }

  close(): void {
    if (this.context.state !== "closed") void this.context.close();
  }
}
