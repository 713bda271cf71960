import { useNow } from "../../app/now";
import { hrefs } from "../../app/route";
import { callerName, duration, durationWords, endReason, shortId } from "../../model/format";
import type { Call } from "../../model/state";
import { Badge } from "../../ui/Badge";
import { Icon } from "../../ui/Icon";
import { AttentionBadge } from "./AttentionBadge";
import { HangUp } from "./HangUp";

/** `acts`: whoever looks may act on calls. */
export function CallHeader({ call, acts }: { call: Call; acts: boolean }) {
  const { facts } = call;
  const live = facts.state === "live";
  const now = useNow(live);
  const length = (facts.ended_at ? Date.parse(facts.ended_at) : now) - Date.parse(facts.started_at);
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3">
      <a
        href={hrefs.calls}
        className="inline-flex size-10 items-center justify-center rounded-lg text-muted hover:bg-raised hover:text-text lg:hidden"
      >
        <Icon name="back" />
        <span className="sr-only">All calls</span>
      </a>
      <div className="min-w-0 flex-1">
        <h2 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-lg leading-7 font-semibold">
          {callerName(facts.from)}
          <span className="font-mono text-sm font-normal text-muted">{shortId(facts.id)}</span>
          {live ? <Badge tone="good">Live</Badge> : <Badge>Ended</Badge>}
          <AttentionBadge level={facts.attention} reason={call.attentionReason} />
        </h2>
        <p className="text-sm text-muted">
          {live ? "" : `${endReason(facts.end_reason)} · `}
          <span className="figures" aria-hidden="true">
            {duration(length)}
          </span>
          <span className="sr-only">{durationWords(length)}</span>
        </p>
      </div>
      {live && acts && <HangUp id={facts.id} />}
    </header>
  );
}
