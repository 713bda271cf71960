// The Passport as a person reads it: what was asked, promised, done and by whom, what is open, how sure. Pure.

import type { LedgerEntry, Passport } from "../api/types";
import { words } from "./format";

/** What callers come with, as the ledger names it. */
const TOPICS: Record<string, string> = {
  incident: "to report a problem",
  booking: "to book an inspection",
  claim: "the state of a claim",
  message: "to leave a message",
  person: "to speak to a person",
  other_language: "somebody who speaks their language",
  spanish: "somebody who speaks Spanish",
  question: "a question",
  emergency: "an emergency",
  correction: "to correct something",
  cancel: "to drop something",
  reference: "a reference number",
  office: "the office's hours, address or number",
  clock: "the day or the time",
  filed: "what was taken down",
  when_done: "when it will be done",
  abilities: "what the line can do",
  identity: "whom they are talking to",
};

const FILED: Record<string, string> = {
  incident: "the report",
  booking: "the inspection",
  claim: "the question about a claim",
  message: "the message",
  person: "the request for a person",
  other_language: "the callback",
  spanish: "the callback",
};

/** What the desk did in a turn, by the ledger's words for it; `about` is what the caller's words were taken for. */
const DID: Record<string, (about: string) => string> = {
  greeted: () => "Greeted the caller",
  answered: (about) => (about === "question" || about === "" ? "Answered the question" : `Answered about ${about}`),
  "answered within a task": () => "Answered a question in between",
  "said more": () => "Said more about it",
  "had no answer": () => "Had no answer to the question",
  "had the answer in another language only": () => "Had the answer in another language only",
  started: (about) => `Began ${FILED[about] ?? about}`,
  filed: (about) => `Filed ${FILED[about] ?? about}`,
  "was filed already": (about) => `Said that ${FILED[about] ?? about} is filed already`,
  corrected: (about) => `Corrected ${FILED[about] ?? about}`,
  noted: (about) => `Noted: ${about}`,
  "asked about it": (about) => `Asked about: ${about}`,
  "asked again": (about) => (about === "nothing" ? "Did not understand, and asked again" : `Asked again about: ${about}`),
  missed: (about) => `Did not understand: ${about}`,
  "was not told": (about) => `Was not told: ${about}`,
  "took it": () => "Took the answer",
  "kept it for later": () => "Kept it for later",
  "told it": () => "Told it",
  "changed it": () => "Changed it as the caller said",
  "added it": () => "Added it as the caller said",
  "cannot move it": () => "Could not move the appointment; that is for a person",
  "asked which is meant": () => "Asked which is meant",
  "told the status": () => "Told the state of the claim",
  "could not verify": () => "Could not make sure who called",
  "time was taken": () => "The time had been taken meanwhile; offered others",
  "could not save": () => "Could not save it",
  "offered a call-back": () => "Offered a callback",
  "filed a call-back": () => "Filed a callback",
  "gave up": (about) => `Gave up on ${FILED[about] ?? about}`,
  "dropped it": () => "Dropped it, as the caller wished",
  "had nothing to drop": () => "Had nothing to drop",
  prompted: () => "Asked whether the caller is still there",
  "kept calm": () => "Kept calm with an angry caller",
  "asks about danger": () => "Asked whether anyone is in danger",
  "asked about": () => "Asked whether anyone is in danger",
  "sent to 911": () => "Told the caller to hang up and dial 911",
  "said goodbye": () => "Said goodbye",
  "ended the call": () => "Ended the call",
  "closed; handed to the back office": () => "The call ended; the rest went to the back office",
  "closed; nothing remains": () => "The call ended; nothing was left to do",
};

const REFERENCE = /^[A-Z]{2,}-[A-Z0-9-]+$/;

/** Parts of what an entry says it did, which stand between semicolons. */
interface Parts {
  did: string;
  references: string[];
  sources: string[];
  rest: string[];
}

function partsOf(outputs: string): Parts {
  // "closed; nothing remains" is one saying, semicolon and all.
  const whole = Object.keys(DID).find((known) => known.includes(";") && outputs.startsWith(known));
  const [did = "", ...more] = whole ? [whole, ...outputs.slice(whole.length).split("; ").filter(Boolean)] : outputs.split("; ");
  return {
    did: did.trim(),
    references: more.filter((part) => REFERENCE.test(part)),
    sources: more.filter((part) => part.startsWith("source ")).map((part) => part.slice("source ".length)),
    rest: more.filter((part) => !REFERENCE.test(part) && !part.startsWith("source ")),
  };
}

const lower = (code: string): string => words(code).toLowerCase();
const percent = (share: number): string => `${Math.round(share * 100)}%`;

/** One act of the ledger as a sentence. */
export interface Told {
  what: string;
  /** More about it, below. */
  detail: string;
  references: string[];
}

export function told(entry: LedgerEntry): Told {
  const outputs = entry.outputs_summary ?? "";
  const inputs = entry.inputs_summary ?? "";
  const plain = (what: string, detail = "", references: string[] = []): Told => ({ what, detail, references });
  switch (entry.action) {
    case "turn": {
      const { did, references, sources, rest } = partsOf(outputs);
      const byModel = /^answered by (.+)$/.exec(did);
      const about = DID[did] && FILED[inputs] === undefined ? lower(inputs) : inputs;
      const what = byModel ? "Answered the caller" : (DID[did]?.(about) ?? words(did || "spoke"));
      const from = sources.length > 0 ? [`From ${sources.join(", ")}`] : [];
      return plain(what, [...from, ...(byModel ? [`Language model: ${byModel[1]}`] : []), ...rest].join(". "), references);
    }
    case "route":
      return plain(...routed(outputs));
    case "work":
      return plain("Worked on it", words(outputs).replaceAll("; ", ", "));
    case "conclude": {
      const { did, references } = partsOf(outputs);
      return plain(`Came to an end: ${statusName(did).toLowerCase()}`, "", references);
    }
    case "gave_up":
      return plain("Could not work on it, and handed it to a person");
    case "interrupted":
      return plain("The call broke off: the gateway stopped in mid-call", "The rest went to the back office");
    case "changed":
      return plain("Changed by hand", words(outputs));
    case "after_action_review":
      return plain(`Looked back: ${wentHow(outputs)}`, whyOf(entry.notes));
    case "people_decided":
      return plain(`People decided: ${wentHow(outputs)}`, whyOf(entry.notes));
    default:
      return plain(words(entry.action ?? "Entry"), outputs);
  }
}

/** What people held of the work, as a review says it. */
function wentHow(outputs: string): string {
  if (outputs.startsWith("nobody has decided")) return "nobody has decided whether it went well";
  return outputs.startsWith("succeeded") ? "it went well" : "it did not go well";
}

/** The reasons that a review noted. */
function whyOf(notes: string | undefined): string {
  try {
    const { why } = JSON.parse(notes ?? "") as { why?: unknown };
    return Array.isArray(why) ? why.map((reason) => words(String(reason))).join(". ") : "";
  } catch {
    return "";
  }
}

/** "claims at 0.83" as words. */
function routed(outputs: string): [string, string] {
  const [, team, sure] = /^(\w+) at (\d\.\d+)/.exec(outputs) ?? [];
  if (team && sure) return [`Went to the ${lower(team)} team`, `${percent(Number(sure))} sure that it belongs there`];
  if (outputs.startsWith("to a person")) return ["Went to a person", "No team was sure enough"];
  return [words(outputs), ""];
}

const PEOPLE: Record<string, string> = { supervisor: "A supervisor", "tenant-admin": "An administrator", "platform-admin": "A platform administrator" };

/** Who did it: "Front desk, intake". */
export function who(agentId: string | undefined): string {
  if (!agentId) return "Unknown";
  if (agentId === "gateway") return "The gateway";
  if (agentId === "aar") return "After-action review";
  const person = /^person\/(.+)$/.exec(agentId)?.[1];
  if (person) return PEOPLE[person] ?? "A person";
  const [team = "", ...member] = agentId.split(/[./]/);
  return member.length > 0 ? `${words(team)}, ${lower(member.join(" "))}` : words(team);
}

export function sureness(entry: LedgerEntry): number | null {
  const value = typeof entry.confidence === "number" ? entry.confidence : entry.confidence?.value;
  return value === undefined || value === null ? null : value;
}

const STATUSES: Record<string, string> = {
  pending: "Just opened",
  in_progress: "In progress",
  blocked: "Waits for the caller",
  completed: "Done",
  failed: "Failed",
  escalated: "Waits for a person",
};
export const statusName = (status: string): string => STATUSES[status] ?? words(status);

/** What the caller wanted, each thing once, in the order it came up. */
export function asked(passport: Passport): string[] {
  const found = (passport.ledger ?? [])
    .filter((entry) => entry.action === "turn")
    .map((entry) => TOPICS[entry.inputs_summary ?? ""])
    .filter((topic): topic is string => topic !== undefined);
  return [...new Set(found)].map((topic) => topic.charAt(0).toUpperCase() + topic.slice(1));
}

/** References of what was filed. */
export function filed(passport: Passport): string[] {
  const told = passport.mission?.sub_tasks ?? [];
  return [...new Set(told.filter((task) => REFERENCE.test(task)))];
}

const PROMISES: Record<string, string> = {
  request_callback: "Somebody calls back",
  request_person: "A person gets in touch",
  take_message: "The message is passed on",
  file_report: "The report is looked into",
  book_inspection: "An inspector comes at the time that was booked",
};
/** What the caller was told would happen, by the tools that were used. */
export function promised(passport: Passport): string[] {
  const used = (passport.ledger ?? []).flatMap((entry) => entry.tool_calls ?? []);
  return [...new Set(used.flatMap((tool) => PROMISES[tool] ?? []))];
}

/** What is left, and for whom. Empty when nothing is. */
export function open(passport: Passport): string[] {
  const left: string[] = [];
  const { routing, status } = passport;
  if (broke(passport) && status !== "completed") left.push("The call broke off before it was finished");
  if (status === "blocked") left.push("It waits for the caller");
  if (routing?.escalation_required || status === "escalated") {
    const reason = routing?.escalation_reason;
    left.push(reason ? `A person must look: ${lower(reason).replace(/^./, (c) => c.toUpperCase())}` : "A person must look");
  }
  const missing = passport["missing_fields"];
  if (Array.isArray(missing) && missing.length > 0) left.push(`Not told yet: ${missing.map((name) => lower(String(name))).join(", ")}`);
  const hours = passport["osha_report_hours"];
  if (typeof hours === "number") left.push(`May have to be reported to OSHA within ${hours} hours`);
  if (status !== "completed" && status !== "failed" && passport.current_agent) left.push(`${who(passport.current_agent)} has it now`);
  if (status === "failed") left.push("It failed; nobody has it");
  return left;
}

/** Cut off in mid-call: no success, whatever was answered before. */
export const broke = (passport: Passport): boolean => (passport.ledger ?? []).some((entry) => entry.action === "interrupted");

export interface Sure {
  /** 0 to 1; null while nobody has judged. */
  value: number | null;
  reasons: string[];
}

/** How sure the agents are of the whole, and what that rests on. */
export function sure(passport: Passport): Sure {
  const vector = passport.overall_confidence;
  if (!vector || (vector.value === 0 && vector.evidence_count === 0)) return { value: null, reasons: [] };
  const reasons = [`${vector.evidence_count} ${vector.evidence_count === 1 ? "piece" : "pieces"} of evidence`];
  if (vector.evidence_quality > 0) reasons.push(`Evidence weighs ${percent(vector.evidence_quality)}`);
  if (vector.calibration_samples > 0) {
    reasons.push(`Right ${percent(vector.historical_accuracy)} of the time in ${vector.calibration_samples} earlier ${vector.calibration_samples === 1 ? "case" : "cases"}`);
  } else reasons.push("No earlier cases to compare with");
  reasons.push(...vector.failure_modes.map((mode) => `May fail by: ${lower(mode)}`));
  return { value: vector.value, reasons };
}
