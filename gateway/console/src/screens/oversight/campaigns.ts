// Campaigns in the words of the people who begin and stop them. Pure.

import type { Campaign } from "../../api/types";
import { words } from "../../model/format";
import type { Tone } from "../../ui/Badge";

/** What calls may be for, as the person who orders them says it. */
export const PURPOSES: readonly (readonly [Campaign["purpose"], string])[] = [
  ["callback", "They asked to be called back"],
  ["request", "About a request that they left"],
  ["appointment", "About an appointment"],
];
export const purposeName = (purpose: string): string => PURPOSES.find(([known]) => known === purpose)?.[1] ?? words(purpose);

const STATES: Record<Campaign["state"], readonly [string, Tone]> = {
  running: ["Running", "good"],
  paused: ["Paused", "warm"],
  canceled: ["Canceled", "plain"],
  ended: ["Ended", "plain"],
};
export const stateOf = (state: Campaign["state"]): readonly [string, Tone] => STATES[state] ?? [words(state), "plain"];

const OUTCOMES: Record<string, string> = {
  reached: "talked with the agent",
  no_answer: "did not answer",
  busy: "were busy",
  machine: "had a machine answer",
  message_left: "were left a message",
  failed: "could not be called",
  no_response: "said nothing",
  wrong_number: "were wrong numbers",
  opted_out: "want no calls",
  do_not_call: "are on the do-not-call list",
  no_consent: "did not agree to be called for this",
  too_often: "were called enough",
  quiet_hours: "cannot be called at their hours",
  destination: "are numbers that are not called",
  no_number: "have no number on file",
  no_appointment: "have no appointment any more",
  other_number: "have another number on file",
  too_late: "were not called in time",
  canceled: "were canceled",
};
export const outcome = (name: string): string => OUTCOMES[name] ?? words(name).toLowerCase();

const WAITS: Record<string, string> = {
  no_room: "It waits for room: callers go first.",
  not_ready: "It waits for the speech engines, or for an account with the carrier.",
};
/** Why nothing begins now; null: nothing is in its way. */
export const waitingFor = (campaign: Campaign): string | null =>
  campaign.state === "running" && campaign.waits !== null ? (WAITS[campaign.waits] ?? words(campaign.waits)) : null;

/** "12 of 40 done with, 2 on the line, 26 to come". */
export function progress(campaign: Campaign): string {
  const done = campaign.numbers - campaign.waiting - campaign.calling;
  const parts = [`${done} of ${campaign.numbers} done with`];
  if (campaign.calling > 0) parts.push(`${campaign.calling} on the line`);
  if (campaign.waiting > 0) parts.push(`${campaign.waiting} to come`);
  return parts.join(", ");
}

export const isOver = (campaign: Campaign): boolean => campaign.state === "canceled" || campaign.state === "ended";

/** A pasted list: one number a line, or with commas or semicolons between. */
export const listed = (text: string): string[] =>
  text
    .split(/[\n\r,;]+/)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** What stands at the places that were refused, a few of them. */
export function wrongOnes(numbers: readonly string[], details: Readonly<Record<string, unknown>>): string[] {
  const positions = Array.isArray(details["positions"]) ? details["positions"] : [];
  return positions.flatMap((at) => (typeof at === "number" ? (numbers[at - 1] ?? []) : [])).slice(0, 5);
}
