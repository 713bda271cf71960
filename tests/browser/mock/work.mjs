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
    write(item, "call", { status: item.status, assignee: item.assignee });
    return json(response, item);
  }
  const why = refusalOf(item, act, asked);
  if (why) {
    const details = { why, status: item.status, assignee: item.assignee, version: item.version };
    return refuse(response, 409, "CONFLICT", "This cannot be done now.", "Read it again.", details);
  }
  const moves = {
    claim: { status: "in_progress", assignee: ME },
    release: { status: "open", assignee: null },
    assign: { status: "in_progress", assignee: asked.user },
    note: { status: item.status, assignee: item.assignee },
    close: { status: asked.result, assignee: ME },
    reopen: { status: "open", assignee: null },
  };
  write(item, act, moves[act], asked);
  json(response, item);
}

function list(mock, response, url) {
  const wanted = (name) => url.searchParams.get(name);
  const q = wanted("q")?.toLowerCase();
  const holder = { me: ME, none: null }[wanted("assignee")];
  const found = mock.calls.workItems.filter(
    (item) =>
      (!wanted("state") || item.status === wanted("state")) &&
      (!wanted("kind") || item.kind === wanted("kind")) &&
      (!wanted("assignee") || item.assignee === holder) &&
      (!q || item.reference.toLowerCase().includes(q) || JSON.stringify(item.fields).toLowerCase().includes(q)),
  );
  if (wanted("sort") === "due") found.sort((a, b) => a.due_at.localeCompare(b.due_at));
  const from = Number(wanted("cursor") ?? 0);
  const to = from + Number(wanted("limit") ?? 50);
  json(response, { items: found.slice(from, to).map(({ history: _, outcome: __, ...item }) => item), next_cursor: to < found.length ? String(to) : null });
}

function refusalOf(item, act, asked) {
  const closed = CLOSED.includes(item.status);
  if (asked.version !== undefined && asked.version !== item.version) return item.assignee && item.assignee !== ME && act === "claim" ? "held" : "stale";
  if (act === "note") return null;
  if (act === "reopen") return closed ? null : "not_closed";
  if (closed) return "closed";
  if (["claim", "close"].includes(act) && item.assignee && item.assignee !== ME) return "held";
  return act === "release" && !item.assignee ? "not_held" : null;
}

function reveal(mock, response, item, asked) {
  const value = mock.secrets[asked.token];
  if (!value || !JSON.stringify(item).includes(asked.token)) return refuse(response, 404, "NOT_FOUND", "There is no such token in this item.");
  mock.revealed.push({ id: item.id, ...asked });
  write(item, "reveal", { status: item.status, assignee: item.assignee }, { reason: asked.reason, token: asked.token });
  response.setHeader("cache-control", "no-store");
  json(response, { value });
}

/** One act by whoever is signed in, or by `actor`. */
export function write(item, act, { status, assignee }, { text, outcome, reason, token } = {}, actor = ME) {
  const at = new Date().toISOString();
  const closed = CLOSED.includes(status);
  item.history.push({
    seq: item.history.length + 1, at, act, actor, role: "platform-admin", status, assignee,
    text: text ?? outcome ?? null, reason: reason ?? null, token: token ?? null,
  });
  Object.assign(item, {
    status, assignee, updated_at: at, version: item.version + 1,
    overdue: item.overdue && !closed, closed_at: closed ? (item.closed_at ?? at) : null,
    outcome: act === "close" ? outcome : closed ? item.outcome : null,
  });
}
