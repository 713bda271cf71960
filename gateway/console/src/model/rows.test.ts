import { describe, expect, it } from "vitest";

import { transcriptRows } from "./rows";
import type { Intervention, Utterance } from "./state";

const said = (turn: number, speaker: Utterance["speaker"]): Utterance => ({
  turn,
  speaker,
  text: "words",
  interim: false,
  segments: [],
  heard: "",
  cut: false,
  interrupted: false,
  estimated: false,
  startedAt: "",
  endedAt: null,
});
let serial = 0;
const stepped = (turn: number, by: Intervention["by"]): Intervention => ({ id: `i${serial++}`, turn, at: "", by, text: by });
const told = (utterances: Utterance[], interventions: Intervention[]): string[] =>
  transcriptRows(utterances, interventions).map((row) =>
    "utterance" in row ? `${row.utterance.turn} ${row.utterance.speaker}` : `${row.intervention.turn} ${row.intervention.by}`,
  );

describe("transcriptRows", () => {
  it("puts the guard's note after the caller's words and a rule's after the reply", () => {
    const words = [said(0, "agent"), said(1, "caller"), said(1, "agent"), said(2, "caller")];
    expect(told(words, [stepped(1, "rule"), stepped(1, "guard")])).toEqual([
      "0 agent",
      "1 caller",
      "1 guard",
      "1 agent",
      "1 rule",
      "2 caller",
    ]);
  });

  it("shows at the end what came before the words that it is about", () => {
    expect(told([said(1, "caller")], [stepped(1, "rule"), stepped(2, "guard")])).toEqual(["1 caller", "1 rule", "2 guard"]);
    expect(told([], [stepped(1, "guard")])).toEqual(["1 guard"]);
  });

  it("loses nothing of a turn without a reply", () => {
    expect(told([said(1, "caller"), said(2, "caller")], [stepped(1, "rule")])).toEqual(["1 caller", "1 rule", "2 caller"]);
  });

  it("gives the words alone where nothing stepped in", () => {
    expect(told([said(1, "caller"), said(1, "agent")], [])).toEqual(["1 caller", "1 agent"]);
  });
});
