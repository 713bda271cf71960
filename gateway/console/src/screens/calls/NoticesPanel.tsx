import { clockTime } from "../../model/format";
import type { Call } from "../../model/state";
import { Icon, type IconName } from "../../ui/Icon";
import { Panel } from "../../ui/Panel";

const ICONS: Record<Call["notices"][number]["kind"], IconName> = {
  keys: "keyboard",
  provider: "tool",
  language: "speaker",
  attention: "alert",
  person: "microphone",
};

/** What happened without words: keys pressed, providers lost and found, why attention was asked for. */
export function NoticesPanel({ call }: { call: Call }) {
  if (call.notices.length === 0) return null;
  return (
    <Panel title="Events">
      <ul className="space-y-1.5 text-sm">
        {call.notices.map((notice) => (
          <li key={notice.id} className="flex items-start gap-2">
            <Icon name={ICONS[notice.kind]} className="mt-0.5 size-4 text-muted" />
            <span className="min-w-0 flex-1 break-words">{notice.text}</span>
            <span className="figures text-xs leading-5 text-muted">{clockTime(notice.at)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
