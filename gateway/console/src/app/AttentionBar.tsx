import { alarmText } from "../model/alarms";
import { attentionText } from "../model/attention";
import { callerName, shortId } from "../model/format";
import type { Call, WorkAlarm } from "../model/state";
import { cx } from "../ui/classes";
import { Icon } from "../ui/Icon";
import { usePreferences } from "./preferences";
import { hrefs } from "./route";

interface Props {
  waiting: readonly Call[];
  alarms: readonly WorkAlarm[];
  locked: boolean;
}

/** On every screen, while a caller needs a person and nobody here has looked, or a request that cannot wait has nobody: who, why, and the way there. */
export function AttentionBar({ waiting, alarms, locked }: Props) {
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
      {alarms[0] && (
        <p data-alarm={alarms[0].id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-transparent bg-danger-solid px-4 py-2 text-sm text-white sm:px-5">
          <Icon name="alert" className="size-5" />
          <a href={hrefs.request(alarms[0].id)} className="min-w-0 font-semibold underline underline-offset-2">
            {alarmText(alarms[0])}
          </a>
          {alarms.length > 1 && <span>and {alarms.length - 1} more</span>}
        </p>
      )}
    </div>
  );
}
