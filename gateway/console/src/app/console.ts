// The console's live half: feed in, state out. One instance; components read it by useSyncExternalStore.

import { useSyncExternalStore } from "react";

import { api } from "../api/client";
import { Feed, type FeedState } from "../api/feed";
import type { CallItem, FeedEvent, Page } from "../api/types";
import { alarmsOf } from "../model/alarms";
import { mergeCalls } from "../model/merge";
import { reduceEvent } from "../model/reduce";
import { emptyState, type State } from "../model/state";

/** Pages of live calls that are loaded at most: a thousand calls. */
const LIVE_PAGES = 5;

export interface Snapshot {
  state: State;
  feed: FeedState;
  /** Grows when events were missed: whoever shows a loaded document loads it again. */
  epoch: number;
  /** Why the list could not be loaded, if so. */
  listError: unknown;
}

export class Console {
  #now: Snapshot = { state: emptyState, feed: { kind: "connecting", attempt: 0 }, epoch: 0, listError: null };
  #listeners = new Set<() => void>();
  #pending: FeedEvent[] = [];
  #started = false;
  readonly #feed = new Feed({
    onEvent: (event) => this.#queue(event),
    onState: (feed) => this.#set({ feed }),
    onReload: () => this.reload(),
  });

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly get = (): Snapshot => this.#now;

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#feed.start();
    addEventListener("online", () => this.#feed.retryNow());
    // The list also comes without the feed: a proxy that holds back event streams must not hide the calls.
    void this.#loadCalls();
    void this.#loadAlarms();
  }

  retryNow(): void {
    this.#feed.retryNow();
  }

  reload(): void {
    this.#set({ epoch: this.#now.epoch + 1 });
    void this.#loadCalls();
    void this.#loadAlarms();
  }

  edit(change: (state: State) => State): void {
    this.#set({ state: change(this.#now.state) });
  }

  async #loadCalls(): Promise<void> {
    try {
      const page = await api.calls({ state: "all", limit: "50" });
      this.#set({ state: mergeCalls(this.#now.state, page.items), listError: null });
      // A live call may be older than the newest fifty.
      let cursor: string | null = page.next_cursor && "";
      for (let pages = 0; cursor !== null && pages < LIVE_PAGES; pages += 1) {
        const live: Page<CallItem> = await api.calls({ state: "live", limit: "200", cursor });
        this.#set({ state: mergeCalls(this.#now.state, live.items) });
        cursor = live.next_cursor;
      }
    } catch (listError) {
      this.#set({ listError });
    }
  }

  /** Requests that nobody has taken on, of before this console was opened or while it heard nothing. */
  async #loadAlarms(): Promise<void> {
    try {
      const { items } = await api.workItems({ state: "open" }, null);
      this.edit((state) => ({ ...state, alarms: alarmsOf(items) }));
    } catch {
      // Who may not read requests is told of none; the feed brings what comes.
    }
  }

  /** Events come in bursts; a burst is one change for the screen. */
  #queue(event: FeedEvent): void {
    this.#pending.push(event);
    if (this.#pending.length === 1) setTimeout(() => this.#flush(), 16);
  }

  #flush(): void {
    const events = this.#pending;
    this.#pending = [];
    const before = this.#now.state;
    const state = events.reduce(reduceEvent, before);
    this.#set({ state });
    for (const id of new Set(events.map((e) => e.data.call_id))) {
      if (id && !before.calls[id] && state.calls[id]?.stub) void this.#loadFacts(id);
    }
  }

  async #loadFacts(id: string): Promise<void> {
    try {
      const facts = await api.call(id);
      this.edit((state) => mergeCalls(state, [facts]));
    } catch {
      // The stub stands; the next list fills it.
    }
  }

  #set(part: Partial<Snapshot>): void {
    this.#now = { ...this.#now, ...part };
    for (const listener of this.#listeners) listener();
  }
}

export const consoleStore = new Console();

export function useConsole<T>(pick: (now: Snapshot) => T): T {
  return useSyncExternalStore(consoleStore.subscribe, () => pick(consoleStore.get()));
}
