// The live feed: one long request to /v1/events, resumed after the last event seen, with its state visible.
//
// fetch rather than EventSource, because EventSource hides the status code: a lost session (401) must lead to the
// sign-in page, not to silent retries for ever.

import { officeHeader } from "./office";
import { SseParser } from "./sse-parser";
import type { FeedEvent } from "./types";

export type FeedState =
  | { kind: "connecting"; attempt: number }
  | { kind: "live" }
  | { kind: "waiting"; retryAt: number; attempt: number }
  | { kind: "signed-out" };

export interface FeedHandlers {
  onEvent: (event: FeedEvent) => void;
  onState: (state: FeedState) => void;
  /** Events were missed, or this is the first connection: load the lists again. */
  onReload: () => void;
}

/** The gateway beats every 15 s; three missed beats mean a dead line that TCP has not noticed. */
const SILENCE_MS = 45_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;

/** Wait before the n-th retry (from 1): doubling with jitter, so that many consoles do not come back at once. */
export function retryDelay(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  return Math.round(full * (0.75 + random() * 0.25));
}

export class Feed {
  #lastId: string | null = null;
  #attempt = 0;
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(readonly handlers: FeedHandlers) {}

  start(): void {
    void this.#connect();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  /** Skips the wait: a person pressed "Try now", or the network is back. */
  retryNow(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#connect();
  }

  async #connect(): Promise<void> {
    this.#timer = undefined;
    if (this.#stopped) return;
    this.handlers.onState({ kind: "connecting", attempt: this.#attempt });
    this.#abort = new AbortController();
    try {
      const headers: Record<string, string> = { accept: "text/event-stream", ...officeHeader() };
      if (this.#lastId) headers["last-event-id"] = this.#lastId;
      const response = await fetch("/v1/events", {
        headers,
        credentials: "same-origin",
        cache: "no-store",
        signal: this.#abort.signal,
      });
      if (response.status === 401) {
        this.handlers.onState({ kind: "signed-out" });
        return;
      }
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      await this.#read(response.body);
    } catch {
      // Whatever broke, the cure is the same: come back later from the last event seen.
    }
    this.#retryLater();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    this.handlers.onState({ kind: "live" });
    this.#attempt = 0;
    const parser = new SseParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    let watchdog = this.#watch();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(watchdog);
        watchdog = this.#watch();
        for (const event of parser.push(decoder.decode(value, { stream: true }))) {
          if (event.name === "ready") this.#ready(event.data);
          else this.#deliver(event.name, event.data, event.id);
        }
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  #watch(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#abort.abort(), SILENCE_MS);
  }

  #ready(data: string): void {
    const resumed = (parse(data) as { resumed?: boolean } | null)?.resumed === true;
    if (!resumed) this.handlers.onReload();
  }

  #deliver(name: string, data: string, id: string | null): void {
    if (id) this.#lastId = id;
    const body = parse(data);
    // Unknown names pass through too: the reducer ignores what it does not know.
    if (body !== null) this.handlers.onEvent({ name, data: body } as FeedEvent);
  }

  #retryLater(): void {
    if (this.#stopped) return;
    this.#attempt += 1;
    const delay = retryDelay(this.#attempt);
    this.handlers.onState({ kind: "waiting", retryAt: Date.now() + delay, attempt: this.#attempt });
    this.#timer = setTimeout(() => void this.#connect(), delay);
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return null;
  }
}
