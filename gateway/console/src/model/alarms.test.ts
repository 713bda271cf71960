import { describe, expect, it } from "vitest";

import type { WorkEvent, WorkItem, WorkNews } from "../api/types";
import { alarmKey, alarmsOf, alarmText, inOrder } from "./alarms";
import { reduceEvent } from "./reduce";
import { emptyState } from "./state";

const news = (over: Partial<WorkNews>): WorkNews => ({
  version: 1,
  event_id: "e",
  call_id: "old-call",
  at: "2026-01-01T00:06:00Z",
  work_item_id: "w1",
  reference: "INC-1",
  kind: "incident",
  priority: "urgent",
  status: "open",
  alarms: 1,
  ...over,
});
const alarm = (over: Partial<WorkNews> = {}): WorkEvent => ({ name: "work_item.alarm", data: news({ waiting_since: "2026-01-01T00:00:00Z", ...over }) });
const updated = (over: Partial<WorkNews>): WorkEvent => ({ name: "work_item.updated", data: news(over) });

describe("alarms about requests", () => {
  it("stand until somebody takes the request on, and a note takes nothing on", () => {
    const raised = reduceEvent(emptyState, alarm());
    expect(inOrder(raised).map((one) => one.reference)).toEqual(["INC-1"]);
    expect(inOrder(reduceEvent(raised, updated({})))).toHaveLength(1);
    expect(inOrder(reduceEvent(raised, updated({ status: "in_progress" })))).toEqual([]);
    expect(inOrder(reduceEvent(raised, updated({ status: "open", alarms: 0 })))).toEqual([]);
  });

  it("let lists load again and invent no call", () => {
    const next = reduceEvent(reduceEvent(emptyState, alarm()), updated({ status: "done" }));
    expect(next.workRevision).toBe(2);
    expect(next.calls).toEqual({});
  });

  it("sound again when they are raised again", () => {
    const twice = reduceEvent(reduceEvent(emptyState, alarm({ alarms: 2 })), alarm());
    expect(inOrder(twice).map(alarmKey)).toEqual(["work/w1/2"]);
  });

  it("are found in the list by a console that is opened later", () => {
    const item = { id: "w1", reference: "INC-1", status: "open", assignee: null, alarms: 1, created_at: "2026-01-01T00:00:00Z" } as WorkItem;
    const found = Object.values(alarmsOf([item, { ...item, id: "w2", assignee: "ana" }, { ...item, id: "w3", alarms: 0 }]));
    expect(found.map((one) => one.id)).toEqual(["w1"]);
    expect(alarmText(found[0]!)).toBe("INC-1 cannot wait, and nobody has taken it on");
  });
});
