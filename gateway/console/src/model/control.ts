// Who has a call, and what people did in it, in words.

import type { ControlReason, Holder } from "../api/types";

/** `me`: who reads it. */
export function holderText(holder: Holder | null | undefined, me: string): string {
  if (!holder) return "The agent has the call.";
  return holder.by === me ? "You have the call." : `${holder.by} has the call.`;
}

const CONTROL: Record<ControlReason, (by: string) => string> = {
  taken_over: (by) => `${by} took the call`,
  speaking: (by) => `${by} speaks with the caller`,
  released: (by) => `${by} gave the call back`,
  lost: (by) => `${by} was not heard any more: the agent has the call`,
  fault: (by) => `A fault ended the call that ${by} had`,
  refused: (by) => `${by} could not take the call`,
  held: () => "The caller waits while a person is called",
  held_no_more: () => "The caller waits no more",
};
export const controlText = (by: string, reason: ControlReason): string => (CONTROL[reason] as ((by: string) => string) | undefined)?.(by) ?? `${by}: ${reason}`;

export function whisperText(by: string, text: string, until: string): string {
  if (until === "said") return `${by} had it say: ${text}`;
  if (until === "now") return `${by} withdrew what the agent was told`;
  return `${by} told the agent: ${text}${until === "withdrawn" ? " (until withdrawn)" : ""}`;
}
