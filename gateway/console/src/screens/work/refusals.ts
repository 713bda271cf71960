// Why the gateway would not do something with a request, in words. Pure.

import { ApiError, explain } from "../../api/client";

/** What to say to whoever tried. Of a conflict: who has it, or what changed. */
export function refusal(error: unknown): string {
  if (!(error instanceof ApiError) || error.status !== 409) return explain(error);
  const who = typeof error.details["assignee"] === "string" ? error.details["assignee"] : "Somebody else";
  switch (error.details["why"]) {
    case "held":
      return `${who} has this request. Take it over first, or leave it to them.`;
    case "closed":
      return "This request was closed in the meantime. Reopen it if there is more to do.";
    case "not_closed":
      return "This request is open already.";
    case "not_held":
      return "Nobody has this request any more.";
    case "stale":
      return "Somebody changed this request since you opened it. This is how it stands now: look again, then repeat what you did.";
    default:
      return explain(error);
  }
}

/** The picture is old: what is shown must be loaded again. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;
