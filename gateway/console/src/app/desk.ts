import { useSyncExternalStore } from "react";

import { Desk, type DeskState } from "../desk/desk";

/** The one desk of this page. */
export const desk = new Desk();

export const useDesk = (): DeskState => useSyncExternalStore(desk.subscribe, desk.get);
