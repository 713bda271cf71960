import type { WorkItem } from "../../api/types";
import { hrefs } from "../../app/route";
import { dateTime, fieldText, words } from "../../model/format";
import { Badge, type Tone } from "../../ui/Badge";
import { FieldList } from "../../ui/FieldList";
import { dueText, fieldName, isClosed, kindName, plainValue, stateName } from "./labels";
import { reference } from "./reference";

const KIND_TONE: Record<string, Tone> = { incident: "warm", booking: "accent", inspection: "accent", escalation: "danger", message: "good" };
const PRESSING = ["high", "urgent"];
const toneOf = (kind: string): Tone => Object.entries(KIND_TONE).find(([stem]) => kind.includes(stem))?.[1] ?? "plain";

export function WorkCard({ item, now }: { item: WorkItem; now: number }) {
  const fields = (item.fields ?? []).filter((f) => f.name !== "reference" && f.value !== false);
  const due = dueText(item, now);
  return (
    <li className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-4" data-work={item.id}>
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={toneOf(item.kind)}>{kindName(item.kind)}</Badge>
        <Badge>{stateName(item.status)}</Badge>
        {item.priority && PRESSING.includes(item.priority) && <Badge tone="danger">{words(item.priority)}</Badge>}
        {due && <Badge tone={item.overdue ? "danger" : "plain"}>{due}</Badge>}
        <span className="ml-auto font-mono text-sm font-semibold">{reference(item)}</span>
      </div>
      <h2 className="font-medium break-words">
        <a href={hrefs.request(item.id)} className="hover:underline">
          {item.title || kindName(item.kind)}
        </a>
      </h2>
      {fields.length > 0 && (
        <FieldList fields={fields.map((f) => [fieldName(f.name), fieldText(plainValue(f.value))] as const)} />
      )}
      <p className="mt-auto flex flex-wrap justify-between gap-x-4 text-xs text-muted">
        <time dateTime={item.created_at}>{dateTime(item.created_at)}</time>
        {item.assignee && <span>{isClosed(item) ? `Closed by ${item.assignee}` : `With ${item.assignee}`}</span>}
        {item.call_id && (
          <a href={hrefs.call(item.call_id)} className="text-accent underline underline-offset-2">
            The call it came from<span className="sr-only">, {reference(item)}</span>
          </a>
        )}
      </p>
    </li>
  );
}
