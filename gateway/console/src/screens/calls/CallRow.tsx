import { memo } from "react";

import { useNow } from "../../app/now";
import { hrefs } from "../../app/route";
import { callerName, duration, endReason, shortId } from "../../model/format";
import type { Call } from "../../model/state";
import { when } from "../../model/when";
import { cx } from "../../ui/classes";
import { AttentionBadge } from "./AttentionBadge";

interface Props {
  call: Call;
  selected: boolean;
}

/** One call in the list: who, how long, why it needs somebody, and the last words, so that a glance down the list tells what is going on. */
export const CallRow = memo(function CallRow({ call, selected }: Props) {
  const { facts } = call;
  const live = facts.state === "live";
  const last = call.utterances.findLast((u) => u.text !== "");
  return (
    <li className="skip-when-far">
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
          <Length call={call} />
        </span>
        {call.question !== null && <span className="mt-1 block truncate pl-4.5 text-sm font-medium">Asks the office: {call.question.text}</span>}
        {facts.in_line && <span className="mt-1 block truncate pl-4.5 text-sm font-medium">Waiting, place {facts.in_line.place}: {facts.in_line.target}</span>}
        {facts.attention !== "none" && (
          <span className="mt-1 block pl-4.5">
            <AttentionBadge level={facts.attention} reason={call.attentionReason} />
          </span>
        )}
        <span className="mt-0.5 block truncate pl-4.5 text-sm text-muted">
          {live ? (last?.text ?? progress(facts.turns)) : <Past startedAt={facts.started_at} end={endReason(facts.end_reason)} />}
        </span>
      </a>
    </li>
  );
});

/** Ticks by itself, so that the row around it is drawn only when something happens. */
function Length({ call: { facts } }: { call: Call }) {
  const now = useNow(facts.state === "live");
  const end = facts.ended_at ? Date.parse(facts.ended_at) : now;
  return <span className="figures text-sm text-muted">{duration(end - Date.parse(facts.started_at))}</span>;
}

function Past({ startedAt, end }: { startedAt: string; end: string }) {
  const now = useNow(true);
  return `${when(startedAt, now)} · ${end}`;
}

/** For a call whose words have not been loaded. */
const progress = (turns: number): string => (turns > 0 ? `${turns} ${turns === 1 ? "turn" : "turns"} so far` : "Answering…");
