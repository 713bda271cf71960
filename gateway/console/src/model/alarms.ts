// Requests that cannot wait and that nobody has taken on. Pure.

import type { WorkItem } from "../api/types";
import type { State, WorkAlarm } from "./state";

type Standing = Pick<WorkItem, "status" | "alarms">;

/** People were told of it, and still nobody has it. */
export const isAlarmed = (item: Standing & Pick<WorkItem, "assignee">): boolean => item.status === "open" && item.assignee === null && item.alarms > 0;

/** An alarm was raised. One that the feed brings late does not undo a later one. */
export function withAlarm(state: State, alarm: WorkAlarm): State {
  const known = state.alarms[alarm.id];
  return known && known.alarms > alarm.alarms ? state : { ...state, alarms: { ...state.alarms, [alarm.id]: alarm } };
}

/** Somebody did something about it: a note alone leaves it waiting. */
export function withoutAlarm(state: State, id: string, now: Standing): State {
  if (!state.alarms[id] || (now.status === "open" && now.alarms > 0)) return state;
  const { [id]: _, ...alarms } = state.alarms;
  return { ...state, alarms };
}

/** As the list of open requests has it: whoever opens a console late sees what waits. */
export function alarmsOf(items: readonly WorkItem[]): Record<string, WorkAlarm> {
  const waiting = items.filter(isAlarmed).map(({ id, reference, alarms, created_at }): WorkAlarm => ({ id, reference, alarms, since: created_at }));
  return Object.fromEntries(waiting.map((alarm) => [alarm.id, alarm]));
}

/** What sounds once: an alarm that is raised again sounds again. */
export const alarmKey = (alarm: WorkAlarm): string => `work/${alarm.id}/${alarm.alarms}`;

/** Who has waited longest first. */
export const inOrder = (state: State): WorkAlarm[] => Object.values(state.alarms).sort((a, b) => a.since.localeCompare(b.since));

/** Without the time that it waits, which would be read aloud anew each minute. */
export const alarmText = (alarm: WorkAlarm): string => `${alarm.reference} cannot wait, and nobody has taken it on`;
