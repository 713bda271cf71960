// The transcript's rows: what was said, with what stepped in between. Pure.

import type { Intervention, Utterance } from "./state";

export type Row = { utterance: Utterance } | { intervention: Intervention };

/** The guard acts on what a caller said, so its notes follow those words; a rule's follow the turn's reply. */
export function transcriptRows(utterances: readonly Utterance[], interventions: readonly Intervention[]): Row[] {
  const rows: Row[] = [];
  const left = [...interventions];
  const take = (wanted: (i: Intervention) => boolean): void => {
    for (let i = 0; i < left.length; ) {
      const found = left[i];
      if (found && wanted(found)) {
        rows.push({ intervention: found });
        left.splice(i, 1);
      } else i += 1;
    }
  };
  for (const [index, utterance] of utterances.entries()) {
    // Turns of which nothing was said.
    take((i) => i.turn < utterance.turn);
    rows.push({ utterance });
    if (utterance.speaker === "caller") take((i) => i.turn === utterance.turn && i.by === "guard");
    if (utterances[index + 1]?.turn !== utterance.turn) take((i) => i.turn === utterance.turn);
  }
  take(() => true);
  return rows;
}
