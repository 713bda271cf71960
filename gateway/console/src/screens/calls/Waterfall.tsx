import type { TurnLatency } from "../../api/types";
import { BUDGET_MS, ms, slices } from "../../model/stages";
import { Badge } from "../../ui/Badge";
import { cx } from "../../ui/classes";

/** One turn's bar. Its numbers stand below as text, in the same order, so nothing depends on telling colours apart. */
export function Waterfall({ turn, width }: { turn: TurnLatency; width: number }) {
  const parts = slices(turn);
  const share = (value: number): string => `${(value / width) * 100}%`;
  return (
    <li data-waterfall={turn.turn}>
      <p className="mb-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <span className="font-medium">{turn.turn === 0 ? "Greeting" : `Turn ${turn.turn}`}</span>
        <span className={cx("figures font-semibold", turn.total_ms > BUDGET_MS && "text-warm")}>{ms(turn.total_ms)} ms</span>
        {turn.filler && <Badge tone="warm" title="A filler was spoken while the caller waited">Filler</Badge>}
        {turn.speculative && <Badge tone="good" title="The answer was begun before the caller had finished, and kept">Early start</Badge>}
      </p>
      <div aria-hidden="true" className="relative mb-2 h-5 rounded bg-raised">
        <div className="flex h-full gap-px overflow-hidden rounded">
          {parts.map((part) => (
            <span
              key={part.id}
              title={`${part.label}: ${ms(part.ms)} ms`}
              className={cx("h-full min-w-px", part.id === "unattributed" && "hatched")}
              style={{ width: share(part.ms), backgroundColor: `var(--${part.token})` }}
            />
          ))}
        </div>
        <span className="absolute -inset-y-1 w-px bg-text/70" style={{ left: share(BUDGET_MS) }} />
      </div>
      <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-muted">
        {parts.map((part) => (
          <li key={part.id} className="flex items-center gap-1.5 whitespace-nowrap">
            <span
              aria-hidden="true"
              className={cx("size-2.5 rounded-[3px]", part.id === "unattributed" && "hatched")}
              style={{ backgroundColor: `var(--${part.token})` }}
            />
            {part.label} <span className="figures text-text">{ms(part.ms)}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}
