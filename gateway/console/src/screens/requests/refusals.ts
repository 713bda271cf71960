// Why the gateway would not do something with a request, in words. Pure.

import { ApiError, explain } from "../../api/client";

/** What to say to whoever tried. Of a conflict: who has it, or how it stands. */
export function refusal(error: unknown): string {
  if (!(error instanceof ApiError) || error.status !== 409) return explain(error);
  const { assignee, status } = error.details;
  if (typeof assignee === "string") return `${assignee} has this request. Take it over first, or leave it to them.`;
  if (status === "open") return "This request is open already.";
  if (status === "cancelled") return "The caller has withdrawn this request in the meantime.";
  if (typeof status === "string") return "This request was closed in the meantime. Reopen it if there is more to do.";
  return explain(error);
}

/** The picture is old: what is shown must be loaded again. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;
