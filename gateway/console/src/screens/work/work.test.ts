import { expect, it } from "vitest";

import type { WorkItem } from "../../api/types";
import { reference } from "./reference";
import { actPhrase, byUrgency, dueText, pieces, tokenName } from "./labels";
import { joinPages } from "./useWorkItems";

const item = (id: string, created_at: string, more: Partial<WorkItem> = {}): WorkItem => ({
  id, kind: "incident", title: "", status: "open", call_id: null, created_at, ...more,
});

it("finds the reference wherever the gateway put it", () => {
  expect(reference(item("0197-abcdef", "t", { reference: "RB-1" }))).toBe("RB-1");
  expect(reference(item("0197-abcdef", "t", { fields: [{ name: "reference", value: "RB-2" }] }))).toBe("RB-2");
  expect(reference(item("0197-abcdef", "t"))).toBe("…ABCDEF");
});

it("joins pages newest first, the fresher copy of an item winning", () => {
  const joined = joinPages([item("a", "3", { status: "closed" })], [item("a", "3"), item("b", "4"), item("c", "1")]);
  expect(joined.map((i) => [i.id, i.status])).toEqual([["b", "open"], ["a", "closed"], ["c", "open"]]);
});

it("sorts what is due first to the top and the closed to the end", () => {
  const items = [
    item("closed", "2026-01-04", { status: "done", due_at: "2026-01-04T00:00:00Z" }),
    item("later", "2026-01-02", { due_at: "2026-01-06T00:00:00Z" }),
    item("soon", "2026-01-03", { due_at: "2026-01-05T00:00:00Z", status: "in_progress" }),
  ];
  expect(items.sort(byUrgency).map((i) => i.id)).toEqual(["soon", "later", "closed"]);
});

it("says when a request is due, or how late it is", () => {
  const now = Date.parse("2026-01-05T12:00:00Z");
  const due = (due_at: string, status = "open"): string => dueText(item("a", "x", { due_at, status }), now);
  expect(due("2026-01-05T12:15:00Z")).toBe("Due in 15 minutes");
  expect(due("2026-01-05T11:00:00Z")).toBe("1 hour overdue");
  expect(due("2026-01-01T12:00:00Z")).toBe("4 days overdue");
  expect(due("2026-01-01T12:00:00Z", "done")).toBe("");
});

it("cuts text at its tokens", () => {
  expect(pieces("Call ⟨phone:1⟩ or ⟨name:2⟩.").map((p) => [p.text, p.token])).toEqual([
    ["Call ", false], ["⟨phone:1⟩", true], [" or ", false], ["⟨name:2⟩", true], [".", false],
  ]);
  expect(tokenName("⟨date_of_birth:1⟩")).toBe("date of birth");
});

it("tells the history in plain words", () => {
  const act = { id: "1", at: "", actor: "ana", act: "assigned", assignee: "bo", note: null, reason: null } as const;
  expect(actPhrase(act)).toBe("gave this to bo");
});
