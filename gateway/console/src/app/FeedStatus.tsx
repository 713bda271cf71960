import { cx } from "../ui/classes";
import { useConsole } from "./console";

const LOOK = {
  live: { dot: "bg-good", text: "Up to date" },
  connecting: { dot: "bg-warm", text: "Connecting" },
  waiting: { dot: "bg-danger", text: "Reconnecting" },
  "signed-out": { dot: "bg-danger", text: "Signed out" },
} as const;

/** Whether what is on screen is what is happening. In words too: colour alone says nothing to many. */
export function FeedStatus() {
  const kind = useConsole((now) => now.feed.kind);
  const look = LOOK[kind];
  return (
    <p role="status" className="mr-1 flex items-center gap-2 text-xs text-muted" data-feed={kind}>
      <span className={cx("size-2.5 rounded-full", look.dot)} aria-hidden="true" />
      <span className="whitespace-nowrap max-sm:sr-only">{look.text}</span>
    </p>
  );
}
