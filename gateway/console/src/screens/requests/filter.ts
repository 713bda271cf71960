// Which requests are shown, to and from the address. Pure.

import type { WorkFilter, WorkState } from "../../api/types";

/** What the person chose. `todo` is open or in progress. */
export interface Choice {
  show: "todo" | "all" | WorkState;
  mine: boolean;
  kind: string;
  words: string;
}

export const SHOWN: readonly (readonly [Choice["show"], string])[] = [
  ["todo", "To do"],
  ["open", "Nobody’s yet"],
  ["in_progress", "In progress"],
  ["done", "Done"],
  ["declined", "Declined"],
  ["all", "Everything"],
];

export function choiceOf(query: string): Choice {
  const asked = new URLSearchParams(query);
  const show = SHOWN.find(([name]) => name === asked.get("show"))?.[0] ?? "todo";
  return { show, mine: asked.get("mine") === "1", kind: asked.get("kind") ?? "", words: asked.get("q") ?? "" };
}

/** For the address; what is as usual is left out. */
export function parametersOf(choice: Choice): Record<string, string | undefined> {
  return {
    show: choice.show === "todo" ? undefined : choice.show,
    mine: choice.mine ? "1" : undefined,
    kind: choice.kind || undefined,
    q: choice.words || undefined,
  };
}

/** Questions to the gateway: it takes one state at a time. */
export function filtersOf(choice: Choice): WorkFilter[] {
  const common: WorkFilter = {
    ...(choice.mine && { assignee: "me" }),
    ...(choice.kind && { kind: choice.kind }),
    ...(choice.words.trim() !== "" && { q: choice.words.trim() }),
  };
  if (choice.show === "all") return [common];
  const states: WorkState[] = choice.show === "todo" ? ["open", "in_progress"] : [choice.show];
  return states.map((state) => ({ ...common, state }));
}

export const isNarrowed = (choice: Choice): boolean => choice.show !== "todo" || choice.mine || choice.kind !== "" || choice.words !== "";
