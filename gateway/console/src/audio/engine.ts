// The page's side of the audio: one context with a capture and a player node, and what may feed the capture.

import captureUrl from "./capture.worklet.ts?worker&url";
import type { CaptureControl, CapturedFrame, PlayerControl, PlayerReport } from "./messages";
import playerUrl from "./player.worklet.ts?worker&url";

export interface EngineHandlers {
  onFrame: (frame: CapturedFrame) => void;
  onReport: (report: PlayerReport) => void;
}

/** Echo cancellation is not a nicety here: without it the agent hears, and interrupts, itself. */
const MICROPHONE: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  channelCount: 1,
};

export class AudioEngine {
  #stream: MediaStream | null = null;
  #file: AudioBufferSourceNode | null = null;

  private constructor(
    readonly context: AudioContext,
    readonly capture: AudioWorkletNode,
    readonly player: AudioWorkletNode,
  ) {}

  /** Must be called from a click or key press: browsers start no sound without one. */
  static async open(handlers: EngineHandlers): Promise<AudioEngine> {
    const context = new AudioContext({ latencyHint: "interactive" });
    try {
      await Promise.all([context.audioWorklet.addModule(captureUrl), context.audioWorklet.addModule(playerUrl)]);
      const mono: AudioWorkletNodeOptions = { channelCount: 1, channelCountMode: "explicit", outputChannelCount: [1] };
      const capture = new AudioWorkletNode(context, "quandura-capture", mono);
      const player = new AudioWorkletNode(context, "quandura-player", { ...mono, numberOfInputs: 0 });
      capture.port.onmessage = (event: MessageEvent<CapturedFrame>) => handlers.onFrame(event.data);
      player.port.onmessage = (event: MessageEvent<PlayerReport>) => handlers.onReport(event.data);
      player.connect(context.destination);
      // Its output is silent; connected, because a node that leads nowhere is not run.
      capture.connect(context.destination);
      await context.resume();
      return new AudioEngine(context, capture, player);
    } catch (error) {
      void context.close();
      throw error;
    }
  }

  async useMicrophone(): Promise<void> {
    // Absent altogether on a page that is neither https nor loopback.
    if (!("mediaDevices" in navigator)) throw new DOMException("no media devices", "SecurityError");
    this.#stream = await navigator.mediaDevices.getUserMedia({ audio: MICROPHONE });
    this.context.createMediaStreamSource(this.#stream).connect(this.capture);
  }

  /** Any sound file that the browser can read. */
  decode(bytes: ArrayBuffer): Promise<AudioBuffer> {
    return this.context.decodeAudioData(bytes);
  }

  /** Speaks a recording as the caller. A second one takes the place of the first. */
  speak(recording: AudioBuffer, onDone: () => void): void {
    this.stopSpeaking();
    const node = new AudioBufferSourceNode(this.context, { buffer: recording });
    node.connect(this.capture);
    node.onended = () => {
      // A stopped node reports its end too, perhaps after the next has begun.
      if (this.#file !== node) return;
      this.#file = null;
      onDone();
    };
    this.#file = node;
    node.start();
  }

  stopSpeaking(): void {
    const node = this.#file;
    this.#file = null;
    node?.stop();
    node?.disconnect();
  }

  setMuted(muted: boolean): void {
    this.capture.port.postMessage({ muted } satisfies CaptureControl);
  }

  play(control: PlayerControl): void {
    this.player.port.postMessage(control);
  }

  /** Lets go of the microphone: its light must go out when the call ends, not when the last word has faded. */
  endCapture(): void {
    this.stopSpeaking();
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#stream = null;
  }

  close(): void {
    this.endCapture();
    if (this.context.state !== "closed") void this.context.close();
  }
}
