// The HTTP side: console files, sign-in, and the API as /v1 spells it.

import { randomUUID } from "node:crypto";
import { access, readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

import { account, byPassword } from "./account.mjs";
import { campaigns } from "./campaigns.mjs";
import { deskRoute } from "./desk.mjs";
import { json, refuse, bodyOf } from "./http.mjs";
import { LINE, TENANT } from "./calls.mjs";
import { knowledge } from "./knowledge.mjs";
import { openApi } from "./openapi.mjs";
import { oversight } from "./oversight.mjs";
import { pause, recording } from "./recording.mjs";
import { may } from "./roles.mjs";
import { audit, config, newOffice, people } from "./settings.mjs";
import { teams } from "./teams.mjs";
import { workItems } from "./work.mjs";

const DIST = fileURLToPath(new URL("../../../gateway/console/dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
/** Fails at once, and with the cure, where the console was not built: its tests would all run into their time limits. */
export async function assertBuilt() {
  await access(join(DIST, "index.html")).catch(() => {
    throw new Error("the console is not built: run `npm ci && npm run build` in gateway/console");
  });
}

/** The gateway's own policy: a console that breaks under it must fail here too. */
const POLICY =
  "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; media-src 'self' blob:; worker-src 'self' blob:; " +
  "script-src 'self'; style-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

export function routes(mock, request, response) {
  const url = new URL(request.url, "http://mock");
  handle(mock, request, response, url).catch((error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
}

async function handle(mock, request, response, url) {
  if (url.pathname === "/openapi.json") return json(response, openApi(mock));
  if (url.pathname === "/sign-in/ways") return json(response, { openid: mock.openid, passkeys: null });
  if (url.pathname === "/sign-in/password") return byPassword(mock, request, response, () => enter(mock, response));
  if (url.pathname === "/sign-in") return signIn(mock, request, response, url);
  if (url.pathname.startsWith("/v1/") || url.pathname === "/sign-out") {
    if (!signedIn(mock, request)) return refuse(response, 401, "UNAUTHORIZED", "You are not signed in.");
    return answerApi(mock, request, response, url);
  }
  return serveFile(response, url.pathname);
}

async function signIn(mock, request, response, url) {
  if (request.method === "GET") {
    const token = url.searchParams.get("token") ?? "";
    response.writeHead(200, { "content-type": "text/html", "content-security-policy": POLICY, "referrer-policy": "same-origin" });
    response.end(`<!doctype html><html lang="en"><title>Sign in</title><form method="post" action="/sign-in">
      <input type="hidden" name="token" value="${encodeURIComponent(token)}"><button>Sign in</button></form></html>`);
    return;
  }
  const token = new URLSearchParams(await bodyOf(request)).get("token");
  // As the gateway does: what a page of elsewhere posts, or one without an origin, signs nobody in.
  if (request.headers.origin !== mock.url) {
    response.writeHead(403).end();
    return;
  }
  if (!mock.tokens.delete(token)) {
    response.writeHead(303, { location: "/?expired" }).end();
    return;
  }
  enter(mock, response);
}

function enter(mock, response) {
  const session = randomUUID();
  mock.sessions.add(session);
  response.writeHead(303, { location: "/", "set-cookie": `quandura_session=${session}; HttpOnly; SameSite=Strict; Path=/` }).end();
}

const signedIn = (mock, request) => mock.sessions.has(/quandura_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1]);

async function answerApi(mock, request, response, url) {
  const { calls, feed } = mock;
  const path = `${request.method} ${url.pathname}`;
  if (!may(mock, path)) return refuse(response, 403, "FORBIDDEN", "Your role may not do this.");
  if (path === "GET /v1/me") return json(response, me(mock, request));
  if (url.pathname.startsWith("/v1/me/")) return account(mock, request, response, url);
  if (path === "POST /sign-out") {
    mock.sessions.clear();
    return response.writeHead(204).end();
  }
  if (path === "GET /v1/overview") return json(response, calls.figures(url.searchParams.get("from"), calls.workItems, mock.asked));
  if (path === "POST /v1/tenants") return newOffice(mock, request, response);
  if (/^\/v1\/tenants\/[^/]+\/config/.test(url.pathname)) return config(mock, request, response, url);
  if (url.pathname.startsWith("/v1/teams")) return teams(mock, request, response, url);
  if (url.pathname.startsWith("/v1/audit")) return audit(mock, request, response, url);
  if (/^\/v1\/(users|tokens)/.test(url.pathname)) return people(mock, request, response, url);
  if (/^\/v1\/(outbox|memory|rules)/.test(url.pathname)) return oversight(mock, request, response, url);
  if (url.pathname.startsWith("/v1/campaigns")) return campaigns(mock, request, response, url);
  if (path === "GET /v1/autonomy") return json(response, { items: mock.agents });
  if (path === "GET /v1/events") return feed.connect(request, response);
  if (path === "GET /v1/calls") return json(response, calls.page(url.searchParams));
  if (url.pathname.startsWith("/v1/work-items")) return workItems(mock, request, response, url);
  if (url.pathname.startsWith("/v1/knowledge/")) return knowledge(mock, request, response, url);
  if (path === "POST /v1/phone") return phone(mock, request, response);
  const [, id, part, act] = /^\/v1\/calls\/([^/]+)(?:\/(\w+)(?:\/(pause|resume))?)?$/.exec(url.pathname) ?? [];
  const call = id && calls.get(id);
  if (!call) return refuse(response, 404, "NOT_FOUND", "There is no such call.");
  if (await deskRoute(mock, request, response, call, part)) return;
  if (path.startsWith("POST") && part === "hangup") {
    call.onHangUp();
    return json(response, { id, state: "ending" }, 202);
  }
  if (part === "judgement") {
    const items = mock.judgements.get(id) ?? [];
    if (request.method === "POST") items.push({ at: new Date().toISOString(), actor: "local-admin", ...JSON.parse(await bodyOf(request)) });
    mock.judgements.set(id, items);
    return json(response, { call_id: id, items });
  }
  if (part === undefined) return json(response, call.item);
  if (part === "transcript") return json(response, { call_id: id, turns: call.turns, interventions: call.interventions });
  if (part === "recording" && act) return pause(mock, response, id, act === "pause");
  if (part === "recording") return recording(mock, response, id, url);
  if (part === "latency") return json(response, { call_id: id, turns: call.latency });
  if (part === "passport" && call.passport) return json(response, call.passport);
  return refuse(response, 404, "NOT_FOUND", "There is nothing here yet.");
}

const me = (mock, request) => ({
  subject: "local-admin",
  roles: [mock.role],
  kind: "session",
  tenant: mock.tenants.find(({ id }) => id === request.headers["x-tenant"]) ?? TENANT,
  tenants: mock.role === "platform-admin" ? mock.tenants : [TENANT],
  lines: [{ number: LINE, name: "Riverbend County demo line", languages: ["en"] }],
  mode: "demo",
  public_url: mock.url,
});

async function phone(mock, request, response) {
  await bodyOf(request);
  if (mock.refuse === "busy") return refuse(response, 503, "OVERLOADED", "Every line is in use.", "Try again in a minute.");
  const call = mock.calls.start();
  json(response, {
    stream_url: `${mock.url.replace("http", "ws")}/v1/phone/media`,
    parameters: { token: call.id },
    call_id: call.id,
    call_sid: call.item.carrier_sid,
    account_sid: `AC${"0".repeat(32)}`,
    stream_sid: `MZ${"0".repeat(32)}`,
    expires_in_s: 60,
  });
}

async function serveFile(response, path) {
  const name = extname(path) === "" ? "index.html" : normalize(path).replace(/^\/+/, "");
  const file = join(DIST, name);
  const bytes = file.startsWith(DIST) ? await readFile(file).catch(() => null) : null;
  if (!bytes) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream", "content-security-policy": POLICY });
  response.end(bytes);
}
