import { useSyncExternalStore } from "react";

/** One clock for the page, however many parts tell the time; it stands still while none does. */
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
const still = (): (() => void) => () => undefined;

/** The time, renewed each second while `running`. */
export function useNow(running = true): number {
  return useSyncExternalStore(running ? subscribe : still, () => now);
}
