// Whose words of a recording are being played: the panel that plays tells it, the transcript shows it.

import { useSyncExternalStore } from "react";

let now = "";
const listeners = new Set<() => void>();

/** The key of the words, or nothing. */
export function play(key: string): void {
  if (key === now) return;
  now = key;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePlaying = (): string => useSyncExternalStore(subscribe, () => now);
