// The carrier's media protocol from the carrier's side: what a phone network would send, and what it must obey.

import type { PhoneGrant } from "../api/types";

/** What the gateway may send. Anything else is ignored, as carriers do. */
export type Inbound =
  | { kind: "media"; payload: Uint8Array }
  | { kind: "mark"; name: string }
  | { kind: "clear" };

const FRAME_MS = 20;

/** Writes the messages of one stream, numbering them. */
export class CarrierStream {
  #sequence = 0;
  #chunk = 0;

  constructor(readonly grant: PhoneGrant) {}

  connected(): string {
    return JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" });
  }

  start(): string {
    const { account_sid, call_sid, stream_sid, parameters } = this.grant;
    return this.#message("start", {
      start: {
        accountSid: account_sid,
        streamSid: stream_sid,
        callSid: call_sid,
        tracks: ["inbound"],
        mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
        customParameters: parameters,
      },
    });
  }

  /** One frame of the caller's voice. */
  media(payload: Uint8Array): string {
    const timestamp = String(this.#chunk * FRAME_MS);
    this.#chunk += 1;
    return this.#message("media", {
      media: { track: "inbound", chunk: String(this.#chunk), timestamp, payload: toBase64(payload) },
    });
  }

  dtmf(digit: string): string {
    return this.#message("dtmf", { dtmf: { track: "inbound_track", digit } });
  }

  mark(name: string): string {
    return this.#message("mark", { mark: { name } });
  }

  stop(): string {
    const { account_sid, call_sid } = this.grant;
    return this.#message("stop", { stop: { accountSid: account_sid, callSid: call_sid } });
  }

  #message(event: string, body: Record<string, unknown>): string {
    this.#sequence += 1;
    return JSON.stringify({
      event,
      sequenceNumber: String(this.#sequence),
      streamSid: this.grant.stream_sid,
      ...body,
    });
  }
}

export function parseInbound(text: string): Inbound | null {
  try {
    const message = JSON.parse(text) as { event?: unknown; media?: { payload?: unknown }; mark?: { name?: unknown } };
    const payload = message.media?.payload;
    const name = message.mark?.name;
    if (message.event === "media" && typeof payload === "string") return { kind: "media", payload: fromBase64(payload) };
    if (message.event === "mark" && typeof name === "string") return { kind: "mark", name };
    if (message.event === "clear") return { kind: "clear" };
  } catch {
    // Not JSON, or not base64: dropped like any message that breaks the protocol.
  }
  return null;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}
