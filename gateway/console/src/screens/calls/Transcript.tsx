import { useMemo, useRef } from "react";

import { usePlaying } from "../../app/playing";
import { transcriptRows } from "../../model/rows";
import type { Call } from "../../model/state";
import { keyOf } from "../../model/wave";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import { InterventionItem } from "./InterventionItem";
import { UtteranceItem } from "./UtteranceItem";
import { useStickToEnd } from "./useStickToEnd";

/** What both sides said, and where the guard or a rule stepped in. Follows the newest words unless the reader has scrolled up. */
export function Transcript({ call }: { call: Call }) {
  const pane = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => transcriptRows(call.utterances, call.interventions), [call.utterances, call.interventions]);
  const { away, toEnd } = useStickToEnd(pane, rows);
  const totals = useMemo(() => new Map(call.latency.map((l) => [l.turn, l.total_ms])), [call.latency]);
  const live = call.facts.state === "live";
  const playing = usePlaying();
  return (
    <section aria-label="Transcript" className="relative flex min-h-0 flex-col">
      <div
        ref={pane}
        role="region"
        aria-label="Words of the call"
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-5 max-lg:max-h-[70dvh] sm:px-6"
      >
        {rows.length === 0 ? (
          <p className="text-sm text-muted">{live ? "Nothing has been said yet." : "Nothing was said in this call."}</p>
        ) : (
          <ol className="mx-auto max-w-3xl space-y-4">
            {rows.map((row) =>
              "utterance" in row ? (
                <UtteranceItem
                  key={keyOf(row.utterance)}
                  utterance={row.utterance}
                  totalMs={totals.get(row.utterance.turn)}
                  playing={keyOf(row.utterance) === playing}
                />
              ) : (
                <InterventionItem key={row.intervention.id} intervention={row.intervention} />
              ),
            )}
          </ol>
        )}
      </div>
      {away && live && (
        <Button tone="primary" className="absolute bottom-4 left-1/2 -translate-x-1/2 shadow-lg" onClick={toEnd}>
          <Icon name="down" className="size-4" />
          Newest words
        </Button>
      )}
    </section>
  );
}
