import { expect, it } from "vitest";

import type { WorkItem } from "../../api/types";
import { reference } from "./reference";
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
