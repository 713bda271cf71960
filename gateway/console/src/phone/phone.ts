// The browser phone: one call at a time, from the click to the end. Lives outside the components, so a call goes on
// while the person looks at other screens.

import { api } from "../api/client";
import type { PhoneGrant } from "../api/types";
import { AudioEngine } from "../audio/engine";
import type { PlayerReport } from "../audio/messages";
import { LevelStore } from "./levels";
import { closeProblem, startProblem, type Problem } from "./problems";
import { CarrierStream, parseInbound } from "./protocol";
import { RecordingCue } from "./recording";
import { streamUrl } from "./stream-url";

export type PhoneStatus = "idle" | "starting" | "talking" | "ended";

export interface PhoneState {
  status: PhoneStatus;
  to: string;
  callId: string | null;
  startedAt: number;
  endedAt: number;
  muted: boolean;
  /** The last key sent, shown for a moment's reassurance. */
  lastKey: string;
  /** Name of the recording that speaks for the caller; empty when the microphone does. */
  recording: string;
  recordingState: "none" | "waiting" | "speaking" | "done";
  /** Some of the agent's voice has really been played. */
  heardAgent: boolean;
  underruns: number;
  problem: Problem | null;
}

const IDLE: PhoneState = {
  status: "idle",
  to: "",
  callId: null,
  startedAt: 0,
  endedAt: 0,
  muted: false,
  lastKey: "",
  recording: "",
  recordingState: "none",
  heardAgent: false,
  underruns: 0,
  problem: null,
};

/** The last report may be a little old, and the loudspeaker has a queue of its own. */
const TAIL_MS = 150;

export class Phone {
  readonly levels = new LevelStore();
  #state = IDLE;
  #listeners = new Set<() => void>();
  #engine: AudioEngine | null = null;
  #socket: WebSocket | null = null;
  #stream: CarrierStream | null = null;
  #clip: AudioBuffer | null = null;
  #cue: RecordingCue | null = null;
  /** Counts calls, so that what a call given up was waiting for is not mistaken for the next one's. */
  #attempt = 0;
  /** Sound received and not yet played, by the player's last report. */
  #queuedMs = 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly get = (): PhoneState => this.#state;

  /** Dials. With a file, its sound is the caller's voice; without, the microphone's. */
  async call(to: string, file: File | null): Promise<void> {
    if (this.#state.status === "starting" || this.#state.status === "talking") return;
    this.#set({ ...IDLE, status: "starting", to, recording: file?.name ?? "" });
    this.#attempt += 1;
    const attempt = this.#attempt;
    let engine: AudioEngine | null = null;
    try {
      engine = await AudioEngine.open({
        onFrame: (frame) => {
          if (attempt !== this.#attempt) return;
          this.#send((stream) => stream.media(frame.payload));
          this.levels.set({ caller: frame.level });
        },
        // The last call's player may still be saying goodbye; its marks are not this call's.
        onReport: (report) => {
          if (attempt === this.#attempt) this.#onReport(report);
        },
      });
      const clip = file ? await engine.decode(await file.arrayBuffer()) : null;
      if (!clip) await engine.useMicrophone();
      // Asked for last: the permit is good for a minute, and a person may take longer to allow the microphone.
      const grant = await api.phone(to);
      if (attempt !== this.#attempt) return engine.close();
      this.#engine = engine;
      this.#clip = clip;
      this.#connect(grant);
    } catch (error) {
      engine?.close();
      if (attempt === this.#attempt) this.#end(startProblem(error));
    }
  }

  hangUp(): void {
    if (this.#state.status !== "talking" && this.#state.status !== "starting") return;
    this.#attempt += 1;
    this.#send((stream) => stream.stop());
    this.#end(null);
  }

  press(key: string): void {
    if (this.#state.status !== "talking") return;
    this.#send((stream) => stream.dtmf(key));
    this.#set({ lastKey: key });
  }

  setMuted(muted: boolean): void {
    this.#engine?.setMuted(muted);
    this.#set({ muted });
  }

  /** Speaks the recording now, or once more. */
  speakRecording(): void {
    if (!this.#engine || !this.#clip || this.#state.status !== "talking") return;
    this.#cue = null;
    this.#set({ recordingState: "speaking" });
    this.#engine.speak(this.#clip, () => this.#set({ recordingState: "done" }));
  }

  /** Speaks another recording in the same call, at once. */
  async speakFile(file: File): Promise<void> {
    if (!this.#engine || this.#state.status !== "talking") return;
    try {
      this.#clip = await this.#engine.decode(await file.arrayBuffer());
      this.#set({ recording: file.name, problem: null });
      this.speakRecording();
    } catch (error) {
      this.#set({ problem: startProblem(error) });
    }
  }

  #connect(grant: PhoneGrant): void {
    const stream = new CarrierStream(grant);
    const socket = new WebSocket(streamUrl(grant.stream_url, location));
    let opened = false;
    socket.addEventListener("open", () => {
      opened = true;
      socket.send(stream.connected());
      socket.send(stream.start());
      this.#stream = stream;
      this.#onOpen(grant);
    });
    socket.addEventListener("message", (event) => this.#onMessage(event.data));
    socket.addEventListener("close", (event) => {
      if (this.#socket === socket) this.#end(closeProblem(event.code, event.reason, opened), this.#queuedMs);
    });
    this.#socket = socket;
  }

  #onOpen(grant: PhoneGrant): void {
    if (this.#clip) this.#cue = new RecordingCue(Date.now());
    this.#set({
      status: "talking",
      callId: grant.call_id,
      startedAt: Date.now(),
      recordingState: this.#clip ? "waiting" : "none",
    });
  }

  #onMessage(data: unknown): void {
    const message = typeof data === "string" ? parseInbound(data) : null;
    if (message) this.#engine?.play(message);
  }

  #onReport(report: PlayerReport): void {
    if (report.kind === "marks") {
      for (const name of report.names) this.#send((stream) => stream.mark(name));
      return;
    }
    this.#queuedMs = report.queued / 8;
    this.levels.set({ agent: report.level });
    const heard = this.#state.heardAgent || report.level > 0.1;
    if (heard !== this.#state.heardAgent || report.underruns !== this.#state.underruns) {
      this.#set({ heardAgent: heard, underruns: report.underruns });
    }
    if (this.#cue?.update(report.level, report.queued, Date.now())) this.speakRecording();
  }

  #send(message: (stream: CarrierStream) => string): void {
    if (this.#stream && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(message(this.#stream));
  }

  /** `linger`: ms for which sound that has arrived is still played, so that a goodbye keeps its last word. */
  #end(problem: Problem | null, linger = 0): void {
    const socket = this.#socket;
    const engine = this.#engine;
    this.#socket = null;
    this.#stream = null;
    this.#clip = null;
    this.#cue = null;
    this.#engine = null;
    engine?.endCapture();
    if (linger > 0) setTimeout(() => engine?.close(), linger + TAIL_MS);
    else engine?.close();
    this.#queuedMs = 0;
    socket?.close(1000);
    this.levels.reset();
    const recordingState = this.#state.recordingState === "none" ? "none" : "done";
    this.#set({ status: "ended", endedAt: Date.now(), problem, recordingState, muted: false, lastKey: "" });
  }

  #set(part: Partial<PhoneState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}
