import { clockTime } from "../../model/format";
import type { Intervention } from "../../model/state";

/** A quiet line between the words: nobody said it, and it calls for nothing. */
export function InterventionItem({ intervention: i }: { intervention: Intervention }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-2.5 pl-4 text-xs text-muted" data-intervention={i.by} data-turn={i.turn}>
      <span className="min-w-0 break-words">{i.text}</span>
      <time dateTime={i.at} className="figures">
        {clockTime(i.at)}
      </time>
    </li>
  );
}
