import { useSyncExternalStore } from "react";

import { Desk, type DeskState } from "../desk/desk";
import { preferences, setPreference, type Preferences } from "./preferences";

/** The one desk of this page. */
export const desk = new Desk(() => preferences().ears === "apart");

/** Kept in this browser, and heard at once. */
export function setEars(ears: Preferences["ears"]): void {
  setPreference("ears", ears);
  desk.placeVoices();
}

export const useDesk = (): DeskState => useSyncExternalStore(desk.subscribe, desk.get);
