import { memo } from "react";

import type { WorkItem } from "../../api/types";
import { hrefs } from "../../app/route";
import { isAlarmed } from "../../model/alarms";
import { when } from "../../model/when";
import { words } from "../../model/format";
import { Badge } from "../../ui/Badge";
import { cx } from "../../ui/classes";
import { dueText, isClosed, isLate, kindName, requestTitle, stateName, veiled } from "./labels";

interface Props {
  item: WorkItem;
  /** Login of whoever looks. */
  me: string;
  now: number;
}

/** One request in the list: what is asked, how pressing it is, and who has it. */
export const WorkRow = memo(function WorkRow({ item, me, now }: Props) {
  const late = isLate(item, now);
  const due = dueText(item, now);
  const pressing = !isClosed(item) && ["urgent", "high"].includes(item.priority);
  return (
    <li data-work={item.id} className="skip-when-far border-b border-line last:border-0">
      <a
        href={hrefs.request(item.id)}
        data-row={item.id}
        className={cx(
          "grid gap-x-4 gap-y-1 border-l-3 px-4 py-3 hover:bg-raised sm:grid-cols-[minmax(0,1fr)_auto]",
          late ? "border-danger" : "border-transparent",
        )}
      >
        <span className="min-w-0 font-medium break-words">{veiled(requestTitle(item))}</span>
        <span className="flex flex-wrap items-center gap-2 sm:justify-end">
          {isAlarmed(item) && <Badge tone="danger">Nobody has taken this</Badge>}
          {pressing && <Badge tone="danger">{words(item.priority)}</Badge>}
          {isClosed(item) ? (
            <Badge tone={item.status === "done" ? "good" : "plain"}>{stateName(item.status)}</Badge>
          ) : (
            <Badge tone={late ? "danger" : "plain"}>{due}</Badge>
          )}
        </span>
        <span className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span className="font-mono whitespace-nowrap">{item.reference}</span>
          <span>{kindName(item.kind)}</span>
          <span>{when(item.created_at, now)}</span>
        </span>
        <span className={cx("text-sm sm:text-right", item.assignee === me ? "font-medium text-accent" : "text-muted")}>{holder(item, me)}</span>
      </a>
    </li>
  );
});

function holder(item: WorkItem, me: string): string {
  if (!item.assignee) return isClosed(item) ? "" : "Nobody’s yet";
  const who = item.assignee === me ? "you" : item.assignee;
  return isClosed(item) ? `Closed by ${who}` : `With ${who}`;
}
