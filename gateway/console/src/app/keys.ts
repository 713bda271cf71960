// Single-key shortcuts. Silent while the person types, while a dialog is open, and when they are turned off.

import { useEffect, useRef } from "react";

import { preferences } from "./preferences";

export interface Shortcut {
  keys: string;
  does: string;
  where: string;
}

/** What the help lists. Handlers live with the screens; this is the one place that says it all. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: "?", does: "Show this list", where: "Everywhere" },
  { keys: "C", does: "Go to calls", where: "Everywhere" },
  { keys: "W", does: "Go to requests", where: "Everywhere" },
  { keys: "Y", does: "Go to the history", where: "Everywhere" },
  { keys: "O", does: "Go to the overview", where: "Everywhere" },
  { keys: "N", does: "Go to knowledge", where: "Everywhere" },
  { keys: "P", does: "Go to the phone", where: "Everywhere" },
  { keys: "T", does: "Try words", where: "Everywhere" },
  { keys: "E", does: "Go to settings", where: "Everywhere" },
  { keys: "G", does: "Go to oversight", where: "Everywhere" },
  { keys: "A", does: "Go to the audit", where: "Everywhere" },
  { keys: "L", does: "Switch between dark and light", where: "Everywhere" },
  { keys: "J", does: "Next in the list", where: "Calls, requests" },
  { keys: "K", does: "Previous in the list", where: "Calls, requests" },
  { keys: "I", does: "Listen in, or stop", where: "Calls" },
  { keys: "S", does: "Say something to the agent", where: "Calls" },
  { keys: "U", does: "Take the call over, or give it back (asks first)", where: "Calls" },
  { keys: "R", does: "Pause the recording, or resume it", where: "Calls" },
  { keys: "H", does: "Hang up the selected call (asks first)", where: "Calls" },
  { keys: "0–9 * #", does: "Press a telephone key", where: "Phone, during a call" },
  { keys: "M", does: "Mute or unmute", where: "Phone, during a call" },
  { keys: "H", does: "Hang up", where: "Phone, during a call" },
];

const TYPING = "input:not([type=radio]):not([type=checkbox]):not([type=file]), textarea, select, [contenteditable]";

/** Runs `handler` for plain keys. It returns true for those that it used. */
export function useKeys(handler: (key: string) => boolean): void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  // Listens once: a listener that is put in place anew by what an earlier one caused misses the key that caused it.
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (preferences().shortcuts === "off" || document.querySelector("dialog[open]")) return;
      if (event.target instanceof Element && event.target.closest(TYPING)) return;
      if (latest.current(event.key)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
