// Which past calls are looked for, to and from the address. Pure.

/** What the gateway may be asked to narrow the calls by. Dates are days of the reader's calendar. */
export const PARAMETERS = ["q", "topic", "line", "outcome", "from", "to"] as const;
export type Parameter = (typeof PARAMETERS)[number];
export type Choice = Record<Parameter, string>;

export function choiceOf(query: string): Choice {
  const asked = new URLSearchParams(query);
  return Object.fromEntries(PARAMETERS.map((name) => [name, asked.get(name) ?? ""])) as Choice;
}

/** The question to the gateway: only what it knows to answer. A day begins and ends in the reader's own zone. */
export function questionOf(choice: Choice, knows: (name: string) => boolean): Record<string, string> {
  const asked: Record<string, string> = { state: "ended" };
  for (const name of PARAMETERS) {
    const value = choice[name].trim();
    if (value === "" || !knows(name)) continue;
    const at = name === "from" || name === "to" ? instant(value, name === "to") : value;
    if (at) asked[name] = at;
  }
  return asked;
}

/** Where a day begins, or where the day after it does. Nothing for what is no day. */
function instant(day: string, after: boolean): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (!year) return null;
  return new Date(Number(year), Number(month) - 1, Number(date) + (after ? 1 : 0)).toISOString();
}
