import { useSyncExternalStore } from "react";

import type { Levels } from "../phone/levels";
import { Phone, type PhoneState } from "../phone/phone";

/** The one phone of this page. */
export const phone = new Phone();

export const usePhone = (): PhoneState => useSyncExternalStore(phone.subscribe, phone.get);
export const useLevels = (): Levels => useSyncExternalStore(phone.levels.subscribe, phone.levels.get);
