// Times, numbers and codes as people read them.

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

const valid = (at: string): Date | null => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? null : date;
};
export const clockTime = (at: string): string => {
  const date = valid(at);
  return date ? clock.format(date) : "";
};
export const dateTime = (at: string): string => {
  const date = valid(at);
  return date ? dayTime.format(date) : "";
};

/** 0:07, 12:40, 1:02:03. */
export function duration(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const seconds = String(total % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
}

/** The same for a screen reader: "2 minutes 5 seconds". */
export function durationWords(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const part = (n: number, unit: string): string => (n === 0 ? "" : `${n} ${unit}${n === 1 ? "" : "s"}`);
  const text = [part(Math.floor(total / 60), "minute"), part(total % 60, "second")].filter(Boolean).join(" ");
  return text || "0 seconds";
}

/** +12025550100 as (202) 555-0100; anything else as it came. */
export function phoneNumber(number: string): string {
  const match = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(number);
  return match ? `(${match[1]}) ${match[2]}-${match[3]}` : number;
}

/** A number to be dialed, in whatever form it was told: +1 202-555-0100; anything else as it came. */
export function dialable(number: string): string {
  const match = /^(?:\+?1)?(\d{3})(\d{3})(\d{4})$/.exec(number.replaceAll(/[\s().-]/g, ""));
  return match ? `+1 ${match[1]}-${match[2]}-${match[3]}` : number;
}

const isToken = (text: string): boolean => /^⟨\w+:\d+⟩$/.test(text);

/** A heading for a call. Tokens such as ⟨phone:1⟩ begin anew in each call, so they cannot tell callers apart. */
export function callerName(from: string | null): string {
  if (!from) return "No number given";
  return isToken(from) ? "Caller" : phoneNumber(from);
}
/** The same as a fact: what stands in place of a hidden number. */
export function callerDetail(from: string | null): string {
  return from && isToken(from) ? "Number hidden" : callerName(from);
}
/** Short enough to say aloud in a control room; the end of a time-ordered id is its random part. */
export const shortId = (id: string): string => id.replaceAll("-", "").slice(-4).toUpperCase();

export const languageName = (code: string): string => ({ en: "English", es: "Spanish" })[code] ?? (code || "Not known yet");

/** snake_case and kebab-case codes as words. */
export function words(code: string): string {
  const text = code.replaceAll(/[_-]+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const END_REASONS: Record<string, string> = {
  caller_hung_up: "Caller hung up",
  agent_hung_up: "Agent said goodbye",
  supervisor_hung_up: "Ended by a supervisor",
  transferred: "Put through to a person",
  no_input: "Nothing was said",
  stream_lost: "Connection lost",
  replaced: "Continued on a newer connection",
  protocol_error: "Carrier broke the protocol",
  busy: "Turned away: all lines busy",
  draining: "Gateway was stopping",
  too_long: "Longest call reached",
  budget: "The call's budget was spent",
  failed: "A part failed; apology spoken",
  interrupted: "Gateway restarted in mid-call",
  no_answer: "We called; nobody answered",
  machine: "We called; a machine answered",
  message_left: "We called; a message was left on a machine",
  no_response: "We called; they said nothing",
  wrong_number: "We called; it was a wrong number",
  opted_out: "We called; they want no calls",
};
export const endReason = (code: string | null | undefined): string =>
  code ? (END_REASONS[code] ?? words(code)) : "Ended";

const PROVIDER_STATES: Record<string, string> = {
  slow: "is slow; a standby was started beside it",
  failed: "failed",
  took_over: "took over",
  recovered: "serves again",
  exhausted: "failed, and nobody is left",
  lost: "was lost",
};
/** What happened to a provider, as a sentence. */
export function providerNotice(provider: string, state: string, reason: string): string {
  return `${provider} ${PROVIDER_STATES[state] ?? words(state).toLowerCase()}${reason ? ` (${reason})` : ""}`;
}

export const GUARD_NOTE = "Suspicious instruction ignored";

const RULED: Record<string, string> = { words: "a sentence", reply: "a reply", tool: "an action", person: "what a person said" };
/** What a rule did, as a sentence without a word of what was said. */
export function ruleNote(rule: string, action: string, appliesTo: string): string {
  const what = RULED[appliesTo] ?? "something";
  if (action === "WARN") return `A rule warned of ${what}: ${rule}`;
  return action === "REQUIRE_HUMAN" ? `A rule asks a person about ${what}: ${rule}` : `A rule stopped ${what}: ${rule}`;
}

/** A field's value for display; structured values as JSON. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "Not given";
  return typeof value === "object" ? JSON.stringify(value) : String(value as string | number | boolean);
}
