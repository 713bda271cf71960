// What the line takes words for, as rows to be shown.

import type { Understanding } from "../../api/types";

export interface Row {
  label: string;
  /** 0 to 1; null where there is none. */
  score: number | null;
  detail?: string;
}

const NAMES: Record<string, string> = {
  question: "a question for the pages",
  none: "nothing in particular",
};

/** A route as people call it. */
export function routeName(route: string): string {
  return NAMES[route] ?? route.replaceAll("_", " ");
}

/** Wants that are worth a line: the likeliest, and what else is not far-fetched. */
export function wantRows(found: Understanding, least = 0.05): Row[] {
  return found.wants.filter((want, n) => n === 0 || want.score >= least).map((want) => ({ label: routeName(want.route), score: want.score }));
}

/** Several wishes in one breath, with the words that hold each. Places count characters, not UTF-16 units. */
export function partRows(found: Understanding, text: string): Row[] {
  const characters = [...text];
  return found.parts.map((part) => ({
    label: routeName(part.route),
    score: part.score,
    detail: characters.slice(part.start, part.end).join(""),
  }));
}

/** What the line would do about danger. */
export function emergencyRow(found: Understanding): Row {
  const { yes, ask, kind, score } = found.emergency;
  const label = yes ? "Tells to dial 911" : ask ? "Asks whether anybody is in danger" : "None";
  return { label, score, ...(kind ? { detail: kind.replaceAll("_", " ") } : {}) };
}

export function percent(score: number): string {
  return `${Math.round(score * 100)} %`;
}
