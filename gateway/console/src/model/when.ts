// Times as people say them. Pure: the present comes in as an argument.

const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long" });
const date = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const dateYear = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", year: "numeric" });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const count = (n: number, unit: string): string => `${n} ${unit}${n === 1 ? "" : "s"}`;

/** "25 minutes", "3 hours", "4 days": one unit, rounded down so that it never says more than is left. */
export function span(ms: number): string {
  const length = Math.abs(ms);
  if (length < MINUTE) return "less than a minute";
  if (length < HOUR) return count(Math.floor(length / MINUTE), "minute");
  if (length < 2 * DAY) return count(Math.floor(length / HOUR), "hour");
  return count(Math.floor(length / DAY), "day");
}

/** Days of the calendar between two times; 0 for the same day. */
function daysApart(at: Date, now: Date): number {
  const midnight = (time: Date): number => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
  return Math.round((midnight(now) - midnight(at)) / DAY);
}

/** "Just now", "12 minutes ago", "Today at 9:05 AM", "Yesterday at 4:10 PM", "Monday at 8:00 AM", "Nov 3 at 8:00 AM". */
export function when(at: string, now: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  const age = now - time.getTime();
  if (age >= -MINUTE && age < MINUTE) return "Just now";
  if (age >= MINUTE && age < HOUR) return `${span(age)} ago`;
  return `${dayName(time, new Date(now))} at ${clock.format(time)}`;
}

function dayName(time: Date, now: Date): string {
  const days = daysApart(time, now);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days === -1) return "Tomorrow";
  if (days > 1 && days < 7) return weekday.format(time);
  return (time.getFullYear() === now.getFullYear() ? date : dateYear).format(time);
}

/** "Due in 2 hours", "Due tomorrow at 9:05 AM", "3 days overdue". */
export function due(at: string, now: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  const left = time.getTime() - now;
  if (left < 0) return `${span(left)} overdue`;
  if (left < 12 * HOUR) return `Due in ${span(left)}`;
  const day = dayName(time, new Date(now));
  return `Due ${["Today", "Tomorrow"].includes(day) ? day.toLowerCase() : day} at ${clock.format(time)}`;
}
