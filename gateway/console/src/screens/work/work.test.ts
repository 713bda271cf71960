import { describe, expect, it } from "vitest";

import { ApiError } from "../../api/client";
import type { WorkAct, WorkItem } from "../../api/types";
import { choiceOf, filtersOf, isNarrowed, parametersOf, SHOWN } from "./filter";
import { actPhrase, byUrgency, dueText, givenFields, isIncomplete, isLate, pieces, plainValue, requestTitle, stillKnown, tokenName, veiled } from "./labels";
import { refusal } from "./refusals";
import { joined } from "./useWorkItems";

const item = (id: string, more: Partial<WorkItem> = {}): WorkItem => ({
  id,
  reference: `RB-${id}`,
  kind: "incident",
  title: "",
  status: "open",
  priority: "normal",
  assignee: null,
  due_at: "2026-01-05T12:00:00Z",
  overdue: false,
  version: 1,
  closed_at: null,
  call_id: null,
  passport_id: null,
  created_at: "2026-01-05T08:00:00Z",
  updated_at: "2026-01-05T08:00:00Z",
  fields: [],
  ...more,
});

describe("the order", () => {
  it("has the urgent first, then what is due first, and the closed at the end, latest first", () => {
    const items = [
      item("closed before", { status: "done", closed_at: "2026-01-03T00:00:00Z" }),
      item("closed", { status: "declined", closed_at: "2026-01-04T00:00:00Z" }),
      item("later", { due_at: "2026-01-06T00:00:00Z" }),
      item("urgent", { due_at: "2026-01-07T00:00:00Z", priority: "urgent" }),
      item("soon", { due_at: "2026-01-05T00:00:00Z", status: "in_progress" }),
      item("soon and high", { due_at: "2026-01-05T00:00:00Z", priority: "high" }),
    ];
    expect(items.sort(byUrgency).map((i) => i.id)).toEqual(["urgent", "soon and high", "soon", "later", "closed", "closed before"]);
  });

  it("takes each request once, the newer copy", () => {
    const list = joined([item("a", { version: 2, assignee: "ana" }), item("a"), item("b", { due_at: "2026-01-01T00:00:00Z" })]);
    expect(list.map((i) => [i.id, i.assignee])).toEqual([["b", null], ["a", "ana"]]);
  });
});

describe("words", () => {
  it("says when a request is due, and nothing of what is closed", () => {
    const now = Date.parse("2026-01-05T12:30:00Z");
    expect(dueText(item("a"), now)).toBe("30 minutes overdue");
    expect(dueText(item("a", { status: "done" }), now)).toBe("");
    expect(isLate(item("a"), now)).toBe(true);
    expect(isLate(item("a"), now - 3_600_000)).toBe(false);
    expect(isLate(item("a", { status: "cancelled", overdue: true }), now)).toBe(false);
  });

  it("makes a title of words, never of the name of a kind", () => {
    expect(requestTitle(item("a", { title: "fallen tree" }))).toBe("Fallen tree");
    const fields = [{ name: "where", value: "⟨address:1⟩" }, { name: "what", value: "a broken light" }];
    expect(requestTitle(item("a", { title: "incident", fields }))).toBe("A broken light");
    expect(veiled(requestTitle(item("a", { title: "incident", fields: fields.slice(0, 1) })))).toBe("Report, address (hidden)");
    expect(requestTitle(item("a", { title: "incident" }))).toBe("Report");
  });

  it("leaves out what says nothing, and shows flags as words", () => {
    const told = item("a", { fields: [{ name: "incomplete", value: true }, { name: "injured", value: "no" }, { name: "x", value: false }, { name: "reference", value: "R" }] });
    expect(givenFields(told).map((f) => f.name)).toEqual(["injured"]);
    expect(isIncomplete(told)).toBe(true);
    expect(plainValue(true)).toBe("Yes");
    expect(plainValue(["where", "day_of_week"])).toBe("Where, Day of week");
    expect(plainValue("")).toBe("Not given");
  });

  it("tells the history in plain words", () => {
    const act = (more: Partial<WorkAct>): WorkAct => ({ seq: 1, at: "", act: "note", actor: "ana", role: "supervisor", status: "open", assignee: null, text: null, reason: null, token: null, ...more });
    expect(actPhrase(act({ act: "assign", assignee: "bo" }))).toBe("gave this to bo");
    expect(actPhrase(act({ act: "assign", assignee: "ana" }))).toBe("took this over");
    expect(actPhrase(act({ act: "close", status: "declined" }))).toBe("declined this");
    expect(actPhrase(act({ act: "close", status: "done" }))).toBe("closed this as done");
    expect(actPhrase(act({ act: "reveal", token: "⟨phone:1⟩" }))).toBe("looked at the phone");
    expect(actPhrase(act({ act: "sent_on" }))).toBe("sent on");
  });
});

describe("tokens", () => {
  it("are cut out of text", () => {
    expect(pieces("Call ⟨phone:1⟩ or ⟨name:2⟩.").map((p) => [p.text, p.token])).toEqual([
      ["Call ", false], ["⟨phone:1⟩", true], [" or ", false], ["⟨name:2⟩", true], [".", false],
    ]);
    expect(tokenName("⟨date_of_birth:1⟩")).toBe("date of birth");
  });

  it("keep their value while they surely mean the same", () => {
    const known = new Map([["⟨phone:1⟩", "+12025550143"], ["⟨name:2⟩", "Ada"]]);
    const now = item("a", { fields: [{ name: "phone", value: "⟨phone:1⟩" }] });
    expect([...stillKnown(known, now).keys()]).toEqual(["⟨phone:1⟩"]);
  });
});

describe("the filter", () => {
  it("finds its way to the address and back", () => {
    for (const [show] of SHOWN) {
      const choice = { show, mine: true, kind: "message", words: "oak street" };
      const query = new URLSearchParams(Object.entries(parametersOf(choice)).filter((pair): pair is [string, string] => pair[1] !== undefined));
      expect(choiceOf(query.toString())).toEqual(choice);
    }
    expect(isNarrowed(choiceOf(""))).toBe(false);
    expect(choiceOf("show=nonsense").show).toBe("todo");
  });

  it("asks for one state at a time, since the gateway takes one", () => {
    expect(filtersOf(choiceOf(""))).toEqual([{ state: "open" }, { state: "in_progress" }]);
    expect(filtersOf(choiceOf("show=all&mine=1"))).toEqual([{ assignee: "me" }]);
    expect(filtersOf(choiceOf("show=done&q=oak&kind=message"))).toEqual([{ state: "done", q: "oak", kind: "message" }]);
  });

  it("does not look for a single letter", () => {
    expect(filtersOf(choiceOf("show=all&q=o"))).toEqual([{}]);
  });
});

it("says of a conflict who has the request, or what changed", () => {
  const conflict = (details: Record<string, unknown>): string => refusal(new ApiError(409, "CONFLICT", "no", "act", details));
  expect(conflict({ why: "held", assignee: "ana" })).toMatch(/^ana has this request/);
  expect(conflict({ why: "stale", assignee: null })).toContain("Somebody changed this request");
  expect(conflict({ why: "closed" })).toContain("closed in the meantime");
  expect(conflict({})).toBe("no act");
  expect(refusal(new ApiError(403, "FORBIDDEN", "Not for you."))).toBe("Not for you.");
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
