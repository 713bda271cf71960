// Requests in the words of the people who work on them. Pure.

import type { Field, WorkAct, WorkItem, WorkItemDetail, WorkState } from "../../api/types";
import { dialable, fieldText, words } from "../../model/format";
import { due } from "../../model/when";

const KINDS: Record<string, string> = {
  incident: "Report",
  inspection: "Inspection",
  message: "Message",
  escalation: "Person asked for",
  callback: "Callback",
};
export const KIND_NAMES: readonly (readonly [string, string])[] = Object.entries(KINDS);
export const kindName = (kind: string): string => KINDS[kind] ?? words(kind);

const STATES: Record<WorkState, string> = {
  open: "Open",
  in_progress: "In progress",
  done: "Done",
  declined: "Declined",
  cancelled: "Withdrawn by the caller",
};
export const stateName = (state: string): string => STATES[state as WorkState] ?? words(state);

export const isClosed = (item: WorkItem): boolean => ["done", "declined", "cancelled"].includes(item.status);

const FIELDS: Record<string, string> = {
  what: "What happened",
  where: "Where",
  location: "Where",
  when: "When",
  since: "Since",
  injured: "Anyone hurt",
  name: "Name",
  caller_name: "Name",
  phone: "Phone",
  call_back: "Phone",
  address: "Address",
  opening: "Appointment",
  slot: "Appointment",
  day: "Preferred day",
  reason: "About",
  topic: "About",
  message: "Message",
  missing: "Still to ask",
  language: "Language",
  unconfirmed: "Not confirmed by the caller",
  corrects: "Corrects",
};
export const fieldName = (name: string): string => FIELDS[name] ?? words(name);

/** A value as words: flags as yes and no, lists with commas. */
export function plainValue(value: unknown): string {
  if (value === true) return "Yes";
  if (value === false) return "No";
  if (Array.isArray(value)) return value.map((one) => words(fieldText(one))).join(", ");
  return fieldText(value);
}

/** What the caller gave. The reference stands in the heading, and flags that are off say nothing. */
export function givenFields(item: WorkItem): Field[] {
  const left = (field: Field): boolean =>
    field.name !== "reference" && field.name !== "incomplete" && field.value !== false && field.value !== null && field.value !== "";
  return item.fields.filter(left);
}

/** The call ended before the caller had told everything. */
export const isIncomplete = (item: WorkItem): boolean => item.fields.some((field) => field.name === "incomplete" && field.value === true);

const ABOUT = ["what", "reason", "topic", "message", "opening", "missing"];
const PLACE = ["where", "location", "address"];

/** A title in words. The gateway's own, unless that is the bare name of a kind; then what the fields tell. */
export function requestTitle(item: WorkItem): string {
  const own = item.title.trim();
  if (own !== "" && own !== item.kind) return own.charAt(0).toUpperCase() + own.slice(1);
  const told = (names: readonly string[]): string | undefined =>
    names.map((name) => item.fields.find((field) => field.name === name)?.value).find((value) => typeof value === "string" && value !== "") as string | undefined;
  const about = told(ABOUT);
  if (about) return about.charAt(0).toUpperCase() + about.slice(1);
  const place = told(PLACE);
  return place ? `${kindName(item.kind)}, ${place}` : kindName(item.kind);
}

const ACTS: Record<string, (act: WorkAct) => string> = {
  claimed: () => "took this on",
  assigned: (act) => (act.assignee === act.actor ? "took this over" : `gave this to ${act.assignee ?? "nobody"}`),
  released: () => "gave this back",
  noted: () => "wrote a note",
  called: () => "called the caller back",
  call_reached: () => "reached the caller",
  call_no_answer: () => "got no answer",
  call_busy: () => "found the caller’s line busy",
  call_machine: () => "reached an answering machine",
  call_failed: () => "could not be put through",
  call_not_begun: () => "did not answer: nobody was called",
  done: () => "closed this as done",
  declined: () => "declined this",
  reopened: () => "reopened this",
  alarmed: () => "raised the alarm: nobody had taken this on",
};
/** "took this on", to follow a name. */
export const actPhrase = (act: WorkAct): string => ACTS[act.act]?.(act) ?? words(act.act).toLowerCase();

/** What came of a closed request: what was written when it was last closed. */
export const outcomeOf = (item: WorkItemDetail): string | null =>
  isClosed(item) ? (item.history.findLast((act) => act.act === "done" || act.act === "declined")?.note ?? null) : null;

/** When a request is due, or how late it is; nothing for what is closed. */
export const dueText = (item: WorkItem, now: number): string => (isClosed(item) ? "" : due(item.due_at, now));
/** Late by now, whatever was so when it was loaded. */
export const isLate = (item: WorkItem, now: number): boolean => !isClosed(item) && (item.overdue || Date.parse(item.due_at) < now);

const RANK: Record<string, number> = { urgent: 0, high: 1, normal: 2, low: 3 };

/** What is not closed first, urgent before all else, then by when it is due; the closed last, latest first. */
export function byUrgency(a: WorkItem, b: WorkItem): number {
  const closed = Number(isClosed(a)) - Number(isClosed(b));
  if (closed !== 0) return closed;
  if (isClosed(a)) return b.updated_at.localeCompare(a.updated_at);
  const urgent = Number(b.priority === "urgent") - Number(a.priority === "urgent");
  return urgent || a.due_at.localeCompare(b.due_at) || (RANK[a.priority] ?? 2) - (RANK[b.priority] ?? 2) || a.id.localeCompare(b.id);
}

const TOKEN = /⟨\w+:\d+⟩/g;
/** Text cut at its tokens: what stands between them, and they themselves. */
export function pieces(text: string): { text: string; token: boolean }[] {
  const out: { text: string; token: boolean }[] = [];
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > from) out.push({ text: text.slice(from, match.index), token: false });
    out.push({ text: match[0], token: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) out.push({ text: text.slice(from), token: false });
  return out;
}
/** ⟨phone:1⟩ as a person reads it: "phone". */
export const tokenName = (token: string): string => words(/\w+/.exec(token)?.[0] ?? "value").toLowerCase();
/** What stood behind a token, as a person uses it: a number that can be dialed. */
export const revealed = (token: string, value: string): string => (tokenName(token) === "phone" ? dialable(value) : value);
/** Text without the marks of tokens, for where nothing can be revealed: "phone (hidden)". */
export const veiled = (text: string): string => text.replaceAll(TOKEN, (token) => `${tokenName(token)} (hidden)`);
