// Where the person is, kept in the address after '#', so that Back works and whatever is open can be linked to.

import { useMemo, useSyncExternalStore } from "react";

export const SCREENS = ["calls", "work", "history", "overview", "knowledge", "phone", "words", "oversight", "settings", "audit", "account"] as const;
export type Screen = (typeof SCREENS)[number];

export const SCREEN_NAMES: Record<Screen, string> = {
  calls: "Calls",
  work: "Requests",
  history: "History",
  overview: "Overview",
  knowledge: "Knowledge",
  phone: "Phone",
  words: "Try words",
  oversight: "Oversight",
  settings: "Settings",
  audit: "Audit",
  account: "Your sign-in",
};

export interface Route {
  screen: Screen;
  /** Of the call or request that is open. */
  id: string | null;
  /** What a screen is narrowed to, after '?'. */
  query: string;
}

/** Screens that show one thing by its id. */
const WITH_ID: readonly Screen[] = ["calls", "work"];

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name, id] = path.split("/");
  const screen = SCREENS.find((known) => known === name);
  if (!screen) return { screen: "calls", id: null, query: "" };
  return { screen, id: id && WITH_ID.includes(screen) ? decoded(id) : null, query };
}

/** An address that was cut or mistyped must not break the page. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const hrefs = {
  calls: "#/calls",
  call: (id: string) => `#/calls/${encodeURIComponent(id)}`,
  work: "#/work",
  request: (id: string) => `#/work/${encodeURIComponent(id)}`,
  history: "#/history",
  askedAbout: (topic: string) => `#/history?topic=${encodeURIComponent(topic)}`,
  overview: "#/overview",
  knowledge: "#/knowledge",
  phone: "#/phone",
  words: "#/words",
  oversight: "#/oversight",
  settings: "#/settings",
  audit: "#/audit",
  account: "#/account",
};

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return useMemo(() => parseRoute(hash), [hash]);
}

export function go(href: string): void {
  location.hash = href;
}

/** Narrows the screen that is open, without a step for the Back button. */
export function narrow(screen: Screen, parameters: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value);
  history.replaceState(null, "", `#/${screen}${query.size > 0 ? `?${query}` : ""}`);
  dispatchEvent(new Event("hashchange"));
}
