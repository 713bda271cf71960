// Small choices kept in this browser. Storage may be blocked; then a choice lasts as long as the page.

import { useSyncExternalStore } from "react";

export interface Preferences {
  theme: "dark" | "light";
  /** Single-key shortcuts; off for people whose speech software types keys (WCAG 2.1.4). */
  shortcuts: "on" | "off";
  /** Whether captions are announced to screen readers. */
  announce: "on" | "off";
  /** Whether a caller who needs a person is heard as well as seen. */
  sound: "on" | "off";
}

const DEFAULTS: Preferences = { theme: "dark", shortcuts: "on", announce: "on", sound: "on" };
const name = (key: keyof Preferences): string => `quandura.${key}`;

function read(): Preferences {
  const stored = { ...DEFAULTS } as Record<keyof Preferences, string>;
  try {
    for (const key of Object.keys(DEFAULTS) as (keyof Preferences)[]) {
      stored[key] = localStorage.getItem(name(key)) ?? DEFAULTS[key];
    }
  } catch {
    // Defaults are fine.
  }
  return stored as Preferences;
}

let current = read();
const listeners = new Set<() => void>();

export function setPreference<K extends keyof Preferences>(key: K, value: Preferences[K]): void {
  current = { ...current, [key]: value };
  try {
    localStorage.setItem(name(key), value);
  } catch {
    // Kept for this page only.
  }
  if (key === "theme") document.documentElement.dataset["theme"] = value;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}
export const toggleTheme = (): void => setPreference("theme", current.theme === "dark" ? "light" : "dark");
export const preferences = (): Preferences => current;
