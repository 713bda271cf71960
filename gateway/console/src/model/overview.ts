// Figures of a stretch of time, counted from the lists of calls and requests. Pure.

import type { CallItem, WorkItem } from "../api/types";

/** One bar: a stretch of time and what was counted in it. */
export interface Bar {
  /** Where it begins. */
  at: number;
  value: number;
}
/** One part of a whole, such as calls in a language. */
export interface Share {
  name: string;
  value: number;
}
export interface Figures {
  calls: number;
  live: number;
  /** Mean length of the calls that are over, in ms; null where none is. */
  length: number | null;
  cost: number;
  perBar: Bar[];
  costPerBar: Bar[];
  byHour: number[];
  endings: Share[];
  languages: Share[];
  kinds: Share[];
  openRequests: number;
  overdue: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const SPANS = { day: { name: "24 hours", ms: DAY, bar: HOUR }, week: { name: "7 days", ms: 7 * DAY, bar: DAY }, month: { name: "30 days", ms: 30 * DAY, bar: DAY } } as const;
export type Span = keyof typeof SPANS;

/** Beginnings of the bars of a span that ends now, in the reader's own days and hours. */
export function bars(span: Span, now: number): number[] {
  const date = new Date(now);
  if (span === "day") {
    const last = new Date(date.getFullYear(), date.getMonth(), date.getDate(), date.getHours()).getTime();
    return Array.from({ length: 24 }, (_, n) => last - (23 - n) * HOUR);
  }
  const days = SPANS[span].ms / DAY;
  // By the calendar, since a day is not always 24 hours long.
  return Array.from({ length: days }, (_, n) => new Date(date.getFullYear(), date.getMonth(), date.getDate() - (days - 1 - n)).getTime());
}

/** `calls` may hold more than the span; `requests` are those that are not closed, and those that were made in the span. */
export function figures(calls: readonly CallItem[], requests: readonly WorkItem[], span: Span, now: number): Figures {
  const starts = bars(span, now);
  const from = starts[0] ?? now;
  const within = calls.filter((call) => inSpan(call.started_at, from, now));
  const made = requests.filter((request) => inSpan(request.created_at, from, now));
  const open = requests.filter((request) => request.status === "open" || request.status === "in_progress");
  const over = within.filter((call) => call.ended_at !== null);
  const lengths = over.map((call) => Date.parse(call.ended_at ?? "") - Date.parse(call.started_at));
  const byHour = Array.from({ length: 24 }, () => 0);
  for (const call of within) byHour[new Date(call.started_at).getHours()]! += 1;
  return {
    calls: within.length,
    live: within.length - over.length,
    length: lengths.length > 0 ? sum(lengths) / lengths.length : null,
    cost: sum(within.map((call) => call.cost_usd)),
    perBar: counted(starts, within, () => 1),
    costPerBar: counted(starts, within, (call) => call.cost_usd),
    byHour,
    endings: shares(over.map((call) => call.end_reason ?? "")),
    languages: shares(within.map((call) => call.language)),
    kinds: shares(made.map((request) => request.kind)),
    openRequests: open.length,
    overdue: open.filter((request) => request.overdue || Date.parse(request.due_at) < now).length,
  };
}

function inSpan(at: string, from: number, now: number): boolean {
  const time = Date.parse(at);
  return time >= from && time <= now;
}

function counted(starts: readonly number[], calls: readonly CallItem[], weigh: (call: CallItem) => number): Bar[] {
  const found = starts.map((at) => ({ at, value: 0 }));
  for (const call of calls) {
    const bar = found.findLast(({ at }) => at <= Date.parse(call.started_at));
    if (bar) bar.value += weigh(call);
  }
  return found;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** How often each name stands in a list, the most frequent first. */
export function shares(names: readonly string[]): Share[] {
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  return [...count].map(([name, value]) => ({ name, value })).sort((a, b) => b.value - a.value || a.name.localeCompare(b.name));
}

/** The top of a scale that holds a value: 1, 2 or 5 and zeros. */
export function top(value: number): number {
  if (value <= 0) return 1;
  const tens = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * tens).find((step) => step >= value * (1 - 1e-9)) ?? value;
}
