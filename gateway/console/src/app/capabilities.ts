// What this gateway can do, from its own description of the API: nothing is offered that it has no route for.

import { useEffect, useSyncExternalStore } from "react";

import { api } from "../api/client";

export interface Offers {
  /** Whether the gateway has this path, spelled as its description spells it. Not known yet: no. */
  has: (path: string, parameter?: string) => boolean;
}

interface Operation {
  parameters?: { name?: string }[];
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The answer to `has`, of a description's paths. `parameter`: the reading of that path takes it too. */
export function offersOf(paths: Paths): Offers {
  return {
    has: (path, parameter) => {
      const found = paths[path];
      if (!found) return false;
      return parameter === undefined || (found["get"]?.parameters ?? []).some((one) => one.name === parameter);
    },
  };
}

let offers = offersOf({});
let asked = false;
const listeners = new Set<() => void>();

function ask(): void {
  if (asked) return;
  asked = true;
  api
    .openApi()
    .then(({ paths }) => {
      offers = offersOf(paths as Paths);
      for (const listener of listeners) listener();
    })
    .catch(() => {
      // Asked again when the next screen wants to know.
      asked = false;
    });
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useOffers(): Offers {
  useEffect(ask, []);
  return useSyncExternalStore(subscribe, () => offers);
}
