// Requests as the gateway keeps them: filters, moves with their refusals, and a history.

import { bodyOf, json, refuse } from "./http.mjs";

const ME = "local-admin";
const CLOSED = ["done", "declined", "cancelled"];

export async function workItems(mock, request, response, url) {
  const [, , , id, act] = url.pathname.split("/").map(decodeURIComponent);
  if (id === undefined) return list(mock, response, url);
  const item = mock.calls.workItems.find((known) => known.id === id || known.reference === id);
  if (!item) return refuse(response, 404, "NOT_FOUND", "There is no such work item.");
  if (request.method === "GET") return json(response, item);
  if (["auditor", "agent-admin"].includes(mock.role)) return refuse(response, 403, "FORBIDDEN", "Your role may not work on requests.");
  const asked = JSON.parse((await bodyOf(request)) || "{}");
  if (act === "reveal") return reveal(mock, response, item, asked);
  if (act === "call") {
    mock.dialed.push({ id: item.id, ...asked });
    write(item, ["called", item.status, item.assignee]);
    return json(response, item);
  }
  const details = refusalOf(item, act);
  if (details) return refuse(response, 409, "CONFLICT", "This cannot be done now.", "Read it again.", details);
  const moves = {
    claim: () => ["claimed", "in_progress", ME],
    assign: () => (asked.user === null ? ["released", "open", null] : ["assigned", "in_progress", asked.user]),
    note: () => ["noted", item.status, item.assignee],
    close: () => [asked.result, asked.result, ME],
    reopen: () => ["reopened", "open", null],
  };
  const closing = act === "close" ? (asked.line_was_right ?? asked.result === "done") : null;
  write(item, moves[act](), { note: asked.text ?? asked.outcome, reason: asked.reason, line_was_right: closing });
  json(response, item);
}

function list(mock, response, url) {
  const wanted = (name) => url.searchParams.get(name);
  const q = wanted("q")?.toLowerCase();
  const found = mock.calls.workItems.filter(
    (item) =>
      (!wanted("state") || item.status === wanted("state")) &&
      (!wanted("kind") || item.kind === wanted("kind")) &&
      (!wanted("assignee") || item.assignee === ME) &&
      (!q || item.reference.toLowerCase().includes(q) || JSON.stringify(item.fields).toLowerCase().includes(q)),
  );
  found.sort((a, b) => b.created_at.localeCompare(a.created_at));
  const from = Number(wanted("cursor") ?? 0);
  const to = from + Number(wanted("limit") ?? 50);
  json(response, { items: found.slice(from, to).map(({ history: _, ...item }) => item), next_cursor: to < found.length ? String(to) : null });
}

function refusalOf(item, act) {
  const closed = CLOSED.includes(item.status);
  if (act === "note") return null;
  if (act === "reopen") return closed ? null : { status: "open" };
  if (closed) return { status: item.status };
  return ["claim", "close"].includes(act) && item.assignee && item.assignee !== ME ? { assignee: item.assignee } : null;
}

function reveal(mock, response, item, asked) {
  const value = mock.secrets[asked.token];
  if (!value || !JSON.stringify(item).includes(asked.token)) return refuse(response, 404, "NOT_FOUND", "There is no such token in this item.");
  mock.revealed.push({ id: item.id, ...asked });
  response.setHeader("cache-control", "no-store");
  json(response, { value });
}

/** One act by whoever is signed in, or by `actor`: what it is called, and where it leads. */
export function write(item, [act, status, assignee], { note = null, reason = null, line_was_right = null } = {}, actor = ME) {
  const at = new Date().toISOString();
  item.history.push({ id: `act-${item.history.length}`, at, actor, act, assignee, note, reason, line_was_right });
  Object.assign(item, { status, assignee, updated_at: at, overdue: item.overdue && !CLOSED.includes(status) });
}
