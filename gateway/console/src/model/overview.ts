// Spans of the overview, and the gateway's figures as charts take them. Pure.

import type { LineFigures } from "../api/types";

/** One bar: a stretch of time and what was counted in it. */
export interface Bar {
  /** Where it begins. */
  at: number;
  value: number;
}
/** One point of a line; nothing where nothing was measured. */
export interface Point {
  at: number;
  value: number | null;
}
/** One part of a whole, such as calls in a language. */
export interface Share {
  name: string;
  value: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const SPANS = { day: { name: "24 hours", ms: DAY }, week: { name: "7 days", ms: 7 * DAY }, month: { name: "30 days", ms: 30 * DAY } } as const;
export type Span = keyof typeof SPANS;

/** Where a span that ends now begins: whole hours, or whole days of the reader's calendar. */
export function beginning(span: Span, now: number): number {
  const date = new Date(now);
  if (span === "day") return new Date(date.getFullYear(), date.getMonth(), date.getDate(), date.getHours()).getTime() - 23 * HOUR;
  const days = SPANS[span].ms / DAY;
  // By the calendar, since a day is not always 24 hours long.
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - (days - 1)).getTime();
}

/** A figure of every stretch of time. */
export const series = <K extends keyof LineFigures["series"][number]>(found: LineFigures, of: K): { at: number; value: LineFigures["series"][number][K] }[] =>
  found.series.map((bar) => ({ at: Date.parse(bar.at), value: bar[of] }));

/** Of those who spoke, how many in a hundred needed no person. */
export const containment = (found: LineFigures): Point[] =>
  found.series.map(({ at, spoken, contained }) => ({ at: Date.parse(at), value: spoken > 0 ? (100 * contained) / spoken : null }));

/** Parts of a whole, the largest first. */
export const shares = (counts: Readonly<Record<string, number>>): Share[] =>
  Object.entries(counts)
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => b.value - a.value || a.name.localeCompare(b.name));

/** "building-permits.md" as a subject: "building permits". */
export const topicName = (source: string): string => {
  const last = source.split(/[/\\]/).pop() ?? source;
  const plain = last.replace(/\.\w{1,5}$/, "").replaceAll(/[-_]+/g, " ").trim();
  return plain === "" ? source : plain.charAt(0).toUpperCase() + plain.slice(1);
};

/** The top of a scale that holds a value: 1, 2 or 5 and zeros. */
export function top(value: number): number {
  if (value <= 0) return 1;
  const tens = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * tens).find((step) => step >= value * (1 - 1e-9)) ?? value;
}
