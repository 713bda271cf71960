// Small choices kept in this browser. Storage may be blocked; then a choice lasts as long as the page.

import { useSyncExternalStore } from "react";

export type Theme = "dark" | "light";

export interface Preferences {
  /** `system`: whatever the operating system shows, also when that changes in the evening. */
  theme: "system" | Theme;
  /** Single-key shortcuts; off for people whose speech software types keys (WCAG 2.1.4). */
  shortcuts: "on" | "off";
  /** Whether captions are announced to screen readers. */
  announce: "on" | "off";
  /** Whether a caller who needs a person is heard as well as seen. */
  sound: "on" | "off";
  /** Of a call that is listened to: both voices in both ears, or the caller left and the agent right. */
  ears: "both" | "apart";
}

const DEFAULTS: Preferences = { theme: "system", shortcuts: "on", announce: "on", sound: "on", ears: "both" };
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
  if (key === "theme") show();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

const prefersLight = matchMedia("(prefers-color-scheme: light)");
const systemTheme = (): Theme => (prefersLight.matches ? "light" : "dark");
/** The theme that is seen. */
const theme = (): Theme => (current.theme === "system" ? systemTheme() : current.theme);
function show(): void {
  document.documentElement.dataset["theme"] = theme();
}
prefersLight.addEventListener("change", () => {
  show();
  for (const listener of listeners) listener();
});
// The system may have changed since the first paint.
show();

export const useTheme = (): Theme => useSyncExternalStore(subscribe, theme);
/** To the other theme. Back at what the system shows, the system is followed again. */
export function toggleTheme(): void {
  const other = theme() === "dark" ? "light" : "dark";
  setPreference("theme", other === systemTheme() ? "system" : other);
}
export const preferences = (): Preferences => current;
