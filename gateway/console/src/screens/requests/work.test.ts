import { describe, expect, it } from "vitest";

import { ApiError } from "../../api/client";
import type { WorkAct, WorkItem } from "../../api/types";
import { choiceOf, filtersOf, isNarrowed, parametersOf, SHOWN } from "./filter";
import { actPhrase, byUrgency, dueText, givenFields, isIncomplete, isLate, outcomeOf, pieces, plainValue, requestTitle, revealed, tokenName, veiled } from "./labels";
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
  alarms: 0, overdue: false,
  call_id: null,
  passport_id: null,
  created_at: "2026-01-05T08:00:00Z",
  updated_at: "2026-01-05T08:00:00Z",
  fields: [],
  ...more,
});

it("shows a number that was revealed so that it can be dialed, and all else as it was told", () => {
  expect(revealed("⟨phone:1⟩", "202-555-0147")).toBe("+1 202-555-0147");
  expect(revealed("⟨address:1⟩", "2025550147")).toBe("2025550147");
});

describe("the order", () => {
  it("has the urgent first, then what is due first, and the closed at the end, latest first", () => {
    const items = [
      item("closed before", { status: "done", updated_at: "2026-01-03T00:00:00Z" }),
      item("closed", { status: "declined", updated_at: "2026-01-04T00:00:00Z" }),
      item("later", { due_at: "2026-01-06T00:00:00Z" }),
      item("urgent", { due_at: "2026-01-07T00:00:00Z", priority: "urgent" }),
      item("soon", { due_at: "2026-01-05T00:00:00Z", status: "in_progress" }),
      item("soon and high", { due_at: "2026-01-05T00:00:00Z", priority: "high" }),
    ];
    expect(items.sort(byUrgency).map((i) => i.id)).toEqual(["urgent", "soon and high", "soon", "later", "closed", "closed before"]);
  });

  it("takes each request once, the newer copy", () => {
    const list = joined([item("a", { updated_at: "2026-01-05T09:00:00Z", assignee: "ana" }), item("a"), item("b", { due_at: "2026-01-01T00:00:00Z" })]);
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
    const act = (more: Partial<WorkAct>): WorkAct => ({ id: "1", at: "", act: "noted", actor: "ana", assignee: null, note: null, reason: null, ...more });
    expect(actPhrase(act({ act: "assigned", assignee: "bo" }))).toBe("gave this to bo");
    expect(actPhrase(act({ act: "assigned", assignee: "ana" }))).toBe("took this over");
    expect(actPhrase(act({ act: "declined" }))).toBe("declined this");
    expect(outcomeOf({ ...item("a", { status: "done" }), history: [act({ act: "declined", note: "No." }), act({ act: "done", note: "Fixed." }), act({})] })).toBe("Fixed.");
    expect(outcomeOf({ ...item("a"), history: [act({ act: "done", note: "Fixed." })] })).toBeNull();
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
});

it("says of a conflict who has the request, or how it stands", () => {
  const conflict = (details: Record<string, unknown>): string => refusal(new ApiError(409, "CONFLICT", "no", "act", details));
  expect(conflict({ assignee: "ana" })).toMatch(/^ana has this request/);
  expect(conflict({ status: "done" })).toContain("closed in the meantime");
  expect(conflict({ status: "cancelled" })).toContain("withdrawn");
  expect(conflict({ status: "open" })).toContain("open already");
  expect(conflict({})).toBe("No. Act.");
  expect(refusal(new ApiError(403, "FORBIDDEN", "Not for you."))).toBe("Not for you.");
});
