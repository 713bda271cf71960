// Where the person is, kept in the address after '#', so that Back works and a call can be linked to.

import { useSyncExternalStore } from "react";

export type Screen = "calls" | "work" | "phone" | "words";
export interface Route {
  screen: Screen;
  callId: string | null;
  /** Id or reference of the request that is open. */
  requestId: string | null;
}

export function parseRoute(hash: string): Route {
  const [screen, id] = hash.replace(/^#\/?/, "").split(/[/?]/);
  const named = id ? decodeURIComponent(id) : null;
  if (screen === "work") return { screen, callId: null, requestId: named };
  if (screen === "phone" || screen === "words") return { screen, callId: null, requestId: null };
  return { screen: "calls", callId: screen === "calls" ? named : null, requestId: null };
}

export const hrefs = {
  calls: "#/calls",
  call: (id: string) => `#/calls/${encodeURIComponent(id)}`,
  work: "#/work",
  request: (id: string) => `#/work/${encodeURIComponent(id)}`,
  phone: "#/phone",
  words: "#/words",
};

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => location.hash));
}

export function go(href: string): void {
  location.hash = href;
}
