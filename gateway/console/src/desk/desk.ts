// A supervisor on a live call: listening, and speaking with the caller. Lives outside the components, so that a call that was
// taken over goes on while its person looks at other screens. One call at a time.

import { api, ApiError, explain } from "../api/client";
import { ofOffice } from "../api/office";
import { Ears } from "../audio/listenPlayer";
import { AudioEngine } from "../audio/engine";
import { startProblem } from "../phone/problems";
import { readSounds, type Sound } from "./listenProtocol";

export interface DeskState {
  /** The call that is listened to. */
  hearing: string | null;
  /** The call that is spoken on. */
  speaking: string | null;
  /** On the way to either. */
  busy: boolean;
  /** The call that somebody else was asked for. */
  asked: string | null;
  muted: boolean;
  /** Frames that came too fast for this browser. */
  lost: number;
  problem: string | null;
}

const IDLE: DeskState = { hearing: null, speaking: null, busy: false, asked: null, muted: false, lost: 0, problem: null };

/** Address of a socket of the API, as this page reaches it. */
export function socketUrl(path: string, page: { protocol: string; host: string }): string {
  return `${page.protocol === "https:" ? "wss:" : "ws:"}//${page.host}${path}`;
}

export class Desk {
  #state = IDLE;
  #listeners = new Set<() => void>();
  #ears: Ears | null = null;
  #earSocket: WebSocket | null = null;
  #engine: AudioEngine | null = null;
  #voiceSocket: WebSocket | null = null;

  /** `apart`: whether the caller is to be heard left and the agent right, asked each time that listening begins. */
  constructor(readonly apart: () => boolean = () => false) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly get = (): DeskState => this.#state;

  /** Hears both sides of a call. Never asks for a microphone. */
  async listen(id: string): Promise<void> {
    if (this.#state.busy || this.#state.hearing === id) return;
    this.stopListening();
    this.#set({ busy: true, problem: null, lost: 0 });
    try {
      await this.#openEars(id);
    } catch (error) {
      this.#set({ problem: explain(error) });
    } finally {
      this.#set({ busy: false });
    }
  }

  stopListening(): void {
    const socket = this.#earSocket;
    this.#earSocket = null;
    socket?.close(1000);
    this.#ears?.close();
    this.#ears = null;
    this.#set({ hearing: null });
  }

  /** Takes the call from the agent. The microphone is asked for first: a caller must not wait while somebody looks for it. */
  async takeOver(id: string): Promise<void> {
    if (this.#state.busy || this.#state.speaking) return;
    this.#set({ busy: true, asked: null, problem: null, muted: false });
    let engine: AudioEngine | null = null;
    try {
      engine = await AudioEngine.open({ onFrame: (frame) => this.#say(frame.payload), onReport: () => undefined });
      await engine.useMicrophone();
      const { speak } = await api.takeOver(id);
      this.#engine = engine;
      this.#connectVoice(id, speak);
      if (this.#state.hearing !== id) {
        this.stopListening();
        await this.#openEars(id);
      }
    } catch (error) {
      if (this.#engine === null) engine?.close();
      this.#set({ problem: error instanceof DOMException ? sentences(startProblem(error)) : explain(error) });
    } finally {
      this.#set({ busy: false });
    }
  }

  /** Asks whoever has the call for it. The microphone is asked for when they hand it over. */
  async askFor(id: string): Promise<void> {
    this.#set({ problem: null });
    try {
      const { speak } = await api.askForCall(id);
      this.#set({ asked: id });
      // They had given it back by then.
      if (speak !== undefined) await this.takeOver(id);
    } catch (error) {
      this.#set({ problem: explain(error) });
    }
  }

  /** Gives the call back to the agent, with what it should know. */
  async giveBack(id: string, note: string): Promise<void> {
    this.#set({ problem: null });
    try {
      await api.giveBack(id, note);
      this.#endVoice();
    } catch (error) {
      this.#set({ problem: explain(error) });
    }
  }

  /** What `apart` tells is another thing now. */
  placeVoices(): void {
    this.#ears?.placing.set(this.apart());
  }

  setMuted(muted: boolean): void {
    this.#engine?.setMuted(muted);
    this.#set({ muted });
  }

  async #openEars(id: string): Promise<void> {
    const ears = await Ears.open(this.apart());
    const socket = new WebSocket(socketUrl(ofOffice(`/v1/calls/${encodeURIComponent(id)}/listen?packed=true`), location));
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (event.data instanceof ArrayBuffer) this.#hear(ears, event.data);
    });
    let opened = false;
    socket.addEventListener("open", () => {
      opened = true;
    });
    socket.addEventListener("close", (event) => {
      ears.close();
      if (this.#earSocket !== socket) return;
      this.#earSocket = null;
      this.#ears = null;
      this.#set({ hearing: null });
      if (event.code !== 1000) void this.#whyNot(id, opened, event.reason);
    });
    this.#ears = ears;
    this.#earSocket = socket;
    this.#set({ hearing: id });
  }

  /** A browser does not tell why a socket was refused; the same address does, asked as a page. */
  async #whyNot(id: string, opened: boolean, reason: string): Promise<void> {
    if (opened) {
      this.#set({ problem: `Listening ended${reason ? `: ${reason}` : ""}.` });
      return;
    }
    const proxied = "The gateway answered, but not for sound. If a proxy stands between, it must pass websockets.";
    const refused = (error: unknown): boolean => error instanceof ApiError && [401, 403, 404, 409, 429].includes(error.status);
    const why = await api.listening(id).catch((error: unknown) => error);
    this.#set({ problem: refused(why) ? explain(why) : proxied });
  }

  #hear(ears: Ears, message: ArrayBuffer): void {
    for (const sound of readSounds(message)) this.#hearOne(ears, sound);
  }

  #hearOne(ears: Ears, sound: Sound): void {
    if (sound.lost !== this.#state.lost) this.#set({ lost: sound.lost });
    // Whoever speaks with the caller is sent each frame at once.
    const gathered = this.#state.speaking === null;
    if (sound.kind === "cleared") ears.clear();
    else if (sound.side === "caller") ears.hear("caller", sound.payload, sound.at, gathered);
    // One's own voice is no news, and an echo besides.
    else if (sound.side === "agent" || this.#state.speaking === null) ears.hear("office", sound.payload, sound.at, gathered);
  }

  #connectVoice(id: string, path: string): void {
    const socket = new WebSocket(socketUrl(ofOffice(path), location));
    socket.addEventListener("close", (event) => {
      if (this.#voiceSocket !== socket) return;
      this.#endVoice();
      // Whoever gave it back knows; the gateway's close may come before the answer to that.
      const given = event.reason === "the call was given back";
      if (event.code !== 1000 && !given) this.#set({ problem: `You are not heard any more${event.reason ? `: ${event.reason}` : ""}.` });
    });
    this.#voiceSocket = socket;
    this.#set({ speaking: id });
  }

  #say(payload: Uint8Array): void {
    if (this.#voiceSocket?.readyState === WebSocket.OPEN) this.#voiceSocket.send(payload.slice());
  }

  /** Lets go of the microphone. */
  #endVoice(): void {
    const socket = this.#voiceSocket;
    this.#voiceSocket = null;
    socket?.close(1000);
    this.#engine?.close();
    this.#engine = null;
    this.#set({ speaking: null, muted: false });
  }

  #set(part: Partial<DeskState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}

const sentences = ({ title, detail }: { title: string; detail: string }): string => `${title} ${detail}`;
