import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { consoleStore, useConsole } from "./console";
import { useNow } from "./now";

/** Shown while the live feed is lost: a supervisor must never take an old picture for the present. */
export function FeedBanner() {
  const feed = useConsole((now) => now.feed);
  const waiting = feed.kind === "waiting";
  const now = useNow(waiting);
  // One failed attempt is a blink; a banner for it would only startle. Once there, it stays until the feed is back.
  if (feed.kind === "live" || feed.kind === "signed-out" || feed.attempt < 2) return null;
  const next = waiting ? `Next try in ${Math.max(0, Math.ceil((feed.retryAt - now) / 1000))} s.` : "Trying now.";
  return (
    <aside aria-label="Connection" className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-warm/40 bg-warm-soft px-5 py-2 text-sm">
      <Icon name="alert" className="size-4.5 text-warm" />
      <p>
        Live updates are interrupted. What you see may be old. <span aria-hidden="true">{next}</span>
      </p>
      <Button tone="quiet" className="min-h-8 text-text underline" onClick={() => consoleStore.retryNow()}>
        Try now
      </Button>
    </aside>
  );
}
