// Requests in the words of the people who work on them.

import type { WorkAct, WorkItem, WorkState } from "../../api/types";
import { words } from "../../model/format";

const KINDS: Record<string, string> = {
  incident: "Report",
  inspection: "Inspection",
  message: "Message",
  escalation: "Callback",
  callback: "Callback",
};
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
  when: "When",
  injured: "Anyone hurt",
  name: "Name",
  phone: "Phone",
  address: "Address",
  opening: "Appointment",
  day: "Preferred day",
  reason: "About",
  message: "Message",
  incomplete: "Told in part only",
  unconfirmed: "Not confirmed by the caller",
  corrects: "Corrects",
};
export const fieldName = (name: string): string => FIELDS[name] ?? words(name);

/** Flags as words; other values as they are. */
export const plainValue = (value: unknown): unknown => (value === true ? "Yes" : value === false ? "No" : value);

const ACTS: Record<WorkAct["act"], (act: WorkAct) => string> = {
  claimed: () => "took this on",
  assigned: (act) => `gave this to ${act.assignee ?? "nobody"}`,
  released: () => "gave this back",
  noted: () => "wrote a note",
  done: () => "closed this as done",
  declined: () => "declined this",
  reopened: () => "reopened this",
};
/** "Ana took this on", without the name. */
export const actPhrase = (act: WorkAct): string => ACTS[act.act]?.(act) ?? words(act.act);

/** "Due in 2 hours", "3 days overdue"; nothing for what is closed. */
export function dueText(item: WorkItem, now: number): string {
  if (!item.due_at || isClosed(item)) return "";
  const left = Date.parse(item.due_at) - now;
  if (Number.isNaN(left)) return "";
  const minutes = Math.round(Math.abs(left) / 60_000);
  const [count, unit] = minutes < 60 ? [minutes, "minute"] : minutes < 48 * 60 ? [Math.round(minutes / 60), "hour"] : [Math.round(minutes / 1440), "day"];
  const span = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return left >= 0 ? `Due in ${span}` : `${span} overdue`;
}

/** What is not closed first, by when it is due; then the closed, latest first. */
export function byUrgency(a: WorkItem, b: WorkItem): number {
  const closed = Number(isClosed(a)) - Number(isClosed(b));
  if (closed !== 0) return closed;
  if (isClosed(a)) return (b.updated_at ?? b.created_at).localeCompare(a.updated_at ?? a.created_at);
  return (a.due_at ?? a.created_at).localeCompare(b.due_at ?? b.created_at);
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
