// Whom calls are put through to, as the list shows them and as their fields change them. Pure.

import { at, changed, list, text, type Config, type Fault, type Value } from "../../model/config";
import { dialable, languageName } from "../../model/format";

export const LANGUAGES = [
  ["", "Any"],
  ["en", "English"],
  ["es", "Spanish"],
  ["en,es", "English and Spanish"],
] as const;

/** Languages that are spoken there, in no order; none named is any. */
export const asSpoken = {
  read: (value: Value): string => (Array.isArray(value) ? [...new Set(value.map(String))].toSorted().join(",") : ""),
  write: (typed: string): Value => (typed === "" ? undefined : typed.split(",")),
};

export const isWarm = (target: Value): boolean => at(target, "warm") === true;

/** A switch between warm and cold. Notes go with warm: nobody there could be told of them. */
export function withWarm(target: Config, warm: boolean): Config {
  return warm ? changed(target, "warm", true) : changed(changed(target, "warm", undefined), "notes", undefined);
}

/** Offered for cold targets; what is there already is shown, so that it can be taken out. */
export const offersRefer = (target: Value): boolean => !isWarm(target) || text(target, "refer") !== "";

/** What one is called, before it has a name too. */
export const nameOf = (target: Value, n: number): string => text(target, "name").trim() || `Target ${n}`;

const spoken = (target: Value): string =>
  list(target, "languages")
    .map((code) => languageName(String(code)))
    .join(", ");

/** What sets one apart from the others, on one line. */
export function summary(target: Value): string {
  const lines = text(target, "lines");
  return [
    dialable(text(target, "number")),
    isWarm(target) ? (at(target, "notes") === true ? "warm, with notes" : "warm") : "cold",
    lines !== "" && lines !== "1" && `${lines} people`,
    at(target, "queue") === true && "callers may wait",
    Object.keys(at(target, "hours") ?? {}).length > 0 && "its own hours",
    spoken(target),
    list(target, "on_lines").length > 0 && `for callers of ${list(target, "on_lines").map((line) => dialable(String(line))).join(", ")}`,
    at(target, "transfer_by_agent") === false && "by supervisors only",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Which ones something is wrong with, each as often as it is. */
export const wrongOnes = (faults: readonly Fault[]): number[] => faults.flatMap(({ key }) => /^target\[(\d+)\]/.exec(key)?.[1] ?? []).map(Number);

/** Those that are open, with others. The same list where nothing is new. */
export const withOpen = (open: readonly number[], more: readonly number[]): readonly number[] => (more.every((n) => open.includes(n)) ? open : [...new Set([...open, ...more])]);

/** Those that are open, once the nth was taken out: the ones behind it move up. */
export const without = (open: readonly number[], n: number): number[] => open.filter((one) => one !== n).map((one) => (one > n ? one - 1 : one));

/** The list with the nth one place further up. */
export const raised = (targets: readonly Value[], n: number): Value[] => [...targets.slice(0, n - 2), ...targets.slice(n - 1, n), ...targets.slice(n - 2, n - 1), ...targets.slice(n)];

/** Those that are open, once the nth went one place up: it and the one that it passed. */
export const withRaised = (open: readonly number[], n: number): number[] => open.map((one) => (one === n ? n - 1 : one === n - 1 ? n : one));
