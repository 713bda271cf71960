// Which calls somebody at this console has looked at. Kept for the page: a console that is opened anew shows what waits.

import { useMemo, useSyncExternalStore } from "react";

import { inOrder } from "../model/alarms";
import { lookKey, unlooked } from "../model/attention";
import type { Call, WorkAlarm } from "../model/state";
import { useConsole } from "./console";

let looked: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

export function look(call: Call): void {
  if (looked.has(lookKey(call))) return;
  looked = new Set(looked).add(lookKey(call));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls that wait to be looked at. */
export function useWaiting(): readonly Call[] {
  const seen = useSyncExternalStore(subscribe, () => looked);
  const state = useConsole((now) => now.state);
  return useMemo(() => unlooked(state, seen), [state, seen]);
}

/** Requests that cannot wait and that nobody has taken on: looking is not enough, somebody must take them. */
export function useAlarms(): readonly WorkAlarm[] {
  const state = useConsole((now) => now.state);
  return useMemo(() => inOrder(state), [state]);
}
