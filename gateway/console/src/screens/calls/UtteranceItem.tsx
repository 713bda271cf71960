import { memo, useEffect, useRef } from "react";

import { clockTime } from "../../model/format";
import { speakerName } from "../../model/speakers";
import { BUDGET_MS, ms } from "../../model/stages";
import type { Utterance } from "../../model/state";
import { Badge } from "../../ui/Badge";
import { cx } from "../../ui/classes";
import { Words } from "./Words";

const EDGE = { caller: "border-warm", agent: "border-accent", supervisor: "border-good" } as const;
const NAME = { caller: "text-warm", agent: "text-accent", supervisor: "text-good" } as const;

interface Props {
  utterance: Utterance;
  totalMs: number | undefined;
  /** It is what the recording plays now. */
  playing: boolean;
}

export const UtteranceItem = memo(function UtteranceItem({ utterance: u, totalMs, playing }: Props) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (playing) item.current?.scrollIntoView({ block: "nearest" });
  }, [playing]);
  return (
    <li ref={item} aria-current={playing || undefined} className={cx("border-l-3 pl-3.5", EDGE[u.speaker], playing && "rounded-r-lg bg-accent-soft")} data-speaker={u.speaker} data-turn={u.turn} data-interim={u.interim}>
      <p className="mb-0.5 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs text-muted">
        <span className={cx("text-sm font-semibold", NAME[u.speaker])}>{u.by ?? speakerName(u.speaker)}</span>
        <time dateTime={u.startedAt} className="figures">
          {clockTime(u.startedAt)}
        </time>
        {u.interim && (
          <span>
            <span aria-hidden className="breathing mr-1.5 inline-block size-1.5 rounded-full bg-current" />
            speaking…
          </span>
        )}
        {u.speaker === "agent" && totalMs !== undefined && (
          <span className={cx("figures", totalMs > BUDGET_MS && "font-semibold text-warm")}>answered in {ms(totalMs)} ms</span>
        )}
        {u.interrupted && <Badge tone="warm">Interrupted</Badge>}
        {u.segments.some((s) => s.kind === "filler") && <Badge>Filler</Badge>}
      </p>
      <Words utterance={u} />
    </li>
  );
});
