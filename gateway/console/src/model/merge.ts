// Documents asked from the gateway, laid over what events have told already.

import type { CallItem, StoredIntervention, TranscriptTurn, TurnLatency } from "../api/types";
import { GUARD_NOTE, ruleNote } from "./format";
import { closed, newCall, type Call, type State, type Utterance } from "./state";

/** Facts of a list. An answer that was under way while the call ended must not bring it back to life. */
export function mergeCalls(state: State, items: readonly CallItem[]): State {
  const calls = { ...state.calls };
  for (const item of items) {
    const known = calls[item.id];
    if (!known) {
      calls[item.id] = newCall(item);
      continue;
    }
    const now = { ...known, stub: false, facts: mergeFacts(known.facts, item) };
    // No event tells the end of a call whose gateway died.
    calls[item.id] = known.facts.state === "live" && item.state === "ended" ? closed(now) : now;
  }
  return { ...state, calls, listed: true };
}

function mergeFacts(old: CallItem, item: CallItem): CallItem {
  // The gateway tells attention of live calls; that an ended one had needed somebody stays known here.
  const attention = item.state === "ended" && item.attention === "none" ? old.attention : item.attention;
  const stale = old.state === "ended" && item.state === "live";
  return stale ? { ...item, state: "ended", ended_at: old.ended_at, end_reason: old.end_reason ?? null } : { ...item, attention };
}

/** Two people may have had the call within one turn. */
const keyOf = ({ turn, speaker, by }: { turn: number; speaker: string; by?: string | null }): string => `${turn}/${speaker}/${by ?? ""}`;

/** A stored transcript. Utterances that events already gave in greater detail, or that are newer, stay. */
export function mergeTranscript(state: State, id: string, turns: readonly TranscriptTurn[]): State {
  return editCall(state, id, (call) => {
    const stored = new Map(turns.map((t) => [keyOf(t), fromStored(t)]));
    const live = call.facts.state === "live";
    for (const u of call.utterances) {
      const key = keyOf(u);
      // Of an ended call the stored words are the last word; of a live one the events are ahead of the store.
      const known = stored.get(key);
      if (!known) stored.set(key, u);
      // A console that was opened in mid-turn has the rest of a person's words alone.
      else if (live && u.speaker === "supervisor" && known.text.length > u.text.length) continue;
      else stored.set(key, live ? { ...known, ...u, startedAt: known.startedAt } : { ...known, segments: u.segments });
    }
    const rank = { caller: 0, agent: 1, supervisor: 2 } as const;
    const utterances = [...stored.values()].sort((a, b) => a.turn - b.turn || rank[a.speaker] - rank[b.speaker]);
    return { ...call, utterances };
  });
}

function fromStored(t: TranscriptTurn): Utterance {
  const heard = t.heard_text ?? (t.interrupted ? "" : t.text);
  return {
    turn: t.turn,
    speaker: t.speaker,
    ...(t.by != null && { by: t.by }),
    ...(t.speaker === "supervisor" && { settled: t.text }),
    text: t.text,
    interim: false,
    segments: [],
    heard,
    cut: t.speaker === "agent" && (t.interrupted || (t.heard_text != null && t.heard_text !== t.text)),
    interrupted: t.interrupted,
    estimated: false,
    startedAt: t.started_at,
    endedAt: t.ended_at,
  };
}

/** Stored notes and those that events told, each once: the record keeps an event's id. */
export function mergeInterventions(state: State, id: string, stored: readonly StoredIntervention[]): State {
  return editCall(state, id, (call) => {
    const byId = new Map(call.interventions.map((made) => [made.id, made]));
    for (const i of stored) {
      const text = i.by === "guard" ? GUARD_NOTE : ruleNote(i.rule, i.action, i.applies_to);
      byId.set(i.id, { id: i.id, turn: i.turn, at: i.at, by: i.by, text });
    }
    return { ...call, interventions: [...byId.values()].sort((a, b) => a.turn - b.turn || Date.parse(a.at) - Date.parse(b.at)) };
  });
}

export function mergeLatency(state: State, id: string, turns: readonly TurnLatency[]): State {
  return editCall(state, id, (call) => {
    const byTurn = new Map([...turns, ...call.latency].map((l) => [l.turn, l]));
    return { ...call, latency: [...byTurn.values()].sort((a, b) => a.turn - b.turn) };
  });
}

function editCall(state: State, id: string, edit: (call: Call) => Call): State {
  const call = state.calls[id];
  return call ? { ...state, calls: { ...state.calls, [id]: edit(call) } } : state;
}
