import { expect, it } from "vitest";

import type { Attention } from "../api/types";
import { attentionText, lookKey, titled, unlooked } from "./attention";
import { emptyState, newCall, unknownFacts, type Call, type State } from "./state";

function call(id: string, attention: Attention, more: { ended?: boolean; reason?: string } = {}): Call {
  const facts = { ...unknownFacts(id, `2026-01-01T00:00:0${id.length}Z`), attention, state: more.ended ? ("ended" as const) : ("live" as const) };
  return { ...newCall(facts), attentionReason: more.reason ?? "" };
}
const state = (...calls: Call[]): State => ({ ...emptyState, calls: Object.fromEntries(calls.map((c) => [c.facts.id, c])) });
const ids = (calls: Call[]): string[] => calls.map((c) => c.facts.id);

it("has the urgent first, then the longest on the line", () => {
  const all = state(call("a", "watch"), call("bbb", "urgent"), call("cc", "urgent"), call("d", "none"));
  expect(ids(unlooked(all, new Set()))).toEqual(["cc", "bbb", "a"]);
});

it("lets go of what was looked at, until it gets worse", () => {
  const watched = call("a", "watch");
  const looked = new Set([lookKey(watched)]);
  expect(unlooked(state(watched), looked)).toEqual([]);
  expect(ids(unlooked(state(call("a", "urgent")), looked))).toEqual(["a"]);
});

it("holds on to an emergency whose caller hung up, not to one of a list of past calls", () => {
  expect(ids(unlooked(state(call("a", "urgent", { ended: true, reason: "emergency" })), new Set()))).toEqual(["a"]);
  expect(unlooked(state(call("a", "urgent", { ended: true })), new Set())).toEqual([]);
  expect(unlooked(state(call("a", "watch", { ended: true, reason: "distress" })), new Set())).toEqual([]);
});

it("says why in words", () => {
  expect(attentionText("urgent", "emergency")).toBe("Tells of an emergency");
  expect(attentionText("watch", "guard")).toBe("Suspicious instruction ignored");
  expect(attentionText("watch", "a_new_reason")).toBe("A new reason");
  expect(attentionText("urgent", "")).toBe("Needs a person now");
  expect(attentionText("none", "x")).toBe("");
});

it("puts a sign before the title while somebody waits", () => {
  expect(titled("Calls", [])).toBe("Calls");
  expect(titled("Calls", [call("a", "watch")])).toBe("(1) Calls");
  expect(titled("Calls", [call("a", "watch"), call("b", "urgent")])).toBe("⚠ (2) Calls");
});
