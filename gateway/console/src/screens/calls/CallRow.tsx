import { memo } from "react";

import { hrefs } from "../../app/route";
import { callerName, duration, endReason, shortId, whenShort } from "../../model/format";
import type { Call } from "../../model/state";
import { cx } from "../../ui/classes";
import { AttentionBadge } from "./AttentionBadge";

interface Props {
  call: Call;
  selected: boolean;
  now: number;
}

/** One call in the list: who, how long, and the last words, so that a glance down the list tells what is going on. */
export const CallRow = memo(function CallRow({ call, selected, now }: Props) {
  const { facts } = call;
  const live = facts.state === "live";
  const end = facts.ended_at ? Date.parse(facts.ended_at) : now;
  const last = call.utterances.findLast((u) => u.text !== "");
  return (
    <li>
      <a
        href={hrefs.call(facts.id)}
        aria-current={selected ? "true" : undefined}
        data-call={facts.id}
        data-state={facts.state}
        className={cx(
          "block rounded-lg border px-3 py-2.5 transition-colors",
          selected ? "border-accent/50 bg-accent-soft" : "border-transparent hover:bg-raised",
        )}
      >
        <span className="flex items-center gap-2">
          <span
            aria-hidden="true"
            className={cx("size-2.5 shrink-0 rounded-full", live ? "breathing bg-good" : "border border-line-strong")}
          />
          <span className="min-w-0 flex-1 truncate font-medium">
            {callerName(facts.from)} <span className="font-mono text-xs font-normal text-muted">{shortId(facts.id)}</span>
          </span>
          <span className="figures text-sm text-muted">{duration(end - Date.parse(facts.started_at))}</span>
        </span>
        <span className="mt-0.5 flex items-center gap-2 pl-4.5 text-sm text-muted">
          {live && <AttentionBadge level={facts.attention} reason={call.attentionReason} />}
          <span className="truncate">
            {live ? (last?.text ?? progress(facts.turns)) : `${whenShort(facts.started_at, now)} · ${endReason(facts.end_reason)}`}
          </span>
        </span>
      </a>
    </li>
  );
});

/** For a call whose words have not been loaded. */
const progress = (turns: number): string => (turns > 0 ? `${turns} ${turns === 1 ? "turn" : "turns"} so far` : "Answering…");
