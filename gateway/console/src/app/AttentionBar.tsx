import { attentionText } from "../model/attention";
import { callerName, shortId } from "../model/format";
import type { Call } from "../model/state";
import { cx } from "../ui/classes";
import { Icon } from "../ui/Icon";
import { usePreferences } from "./preferences";
import { hrefs } from "./route";

/** On every screen, while a caller needs a person and nobody here has looked: who, why, and the way there. */
export function AttentionBar({ waiting, locked }: { waiting: readonly Call[]; locked: boolean }) {
  const { sound } = usePreferences();
  const first = waiting[0];
  const urgent = first?.facts.attention === "urgent";
  return (
    <div aria-live="assertive" data-attention={first ? first.facts.attention : undefined}>
      {first && (
        <p
          className={cx(
            "flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2 text-sm sm:px-5",
            urgent ? "border-transparent bg-danger-solid text-white" : "border-warm/40 bg-warm-soft",
          )}
        >
          <Icon name="alert" className={cx("size-5", !urgent && "text-warm")} />
          <a href={hrefs.call(first.facts.id)} className="min-w-0 font-semibold underline underline-offset-2">
            {callerName(first.facts.from)} {shortId(first.facts.id)}: {attentionText(first.facts.attention, first.attentionReason)}
          </a>
          {waiting.length > 1 && <span>and {waiting.length - 1} more</span>}
          {urgent && locked && sound === "on" && <span>Click anywhere to let this page sound an alarm.</span>}
        </p>
      )}
    </div>
  );
}
