// A stand-in for the gateway, for tests of the console alone: serves the built console and fakes what it talks to.
//
// `npm run mock` starts it by itself for looking at the console by hand, with a call already on the line.

import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

import { newAccount } from "./mock/account.mjs";
import { newCampaigns } from "./mock/campaigns.mjs";
import { Calls, TENANT } from "./mock/calls.mjs";
import { Feed } from "./mock/feed.mjs";
import { attachMedia } from "./mock/media.mjs";
import { assertBuilt, routes } from "./mock/routes.mjs";
import { exampleCalls } from "./mock/examples.mjs";
import { newOversight } from "./mock/oversight.mjs";
import { settingsOf } from "./mock/settings.mjs";
import { shippedTeams } from "./mock/teams.mjs";

/** Starts one on a free port. What it returns lets a test look inside and make trouble. */
export async function startMock({ port = 0, examples = false } = {}) {
  await assertBuilt();
  const feed = new Feed();
  const calls = new Calls(feed);
  const mock = {
    feed,
    calls,
    /** Turn to make `POST /v1/phone` or the socket refuse: null, "busy", "socket" or "policy". */
    refuse: null,
    /** Of people on live calls: who has one, what was heard of them, what they said. */
    desk: { listeners: 0, frames: 0, peak: 0, whispers: [], notes: [], refuseListening: null },
    /** What the last phone call sent, for tests to look at. */
    phone: null,
    tokens: new Set(["one-time"]),
    account: newAccount(),
    /** What a provider outside is called; null: there is none. */
    openid: null,
    sessions: new Set(),
    /** Looks at personal data, for tests. */
    revealed: [],
    /** What tokens stand for. */
    secrets: { "⟨phone:1⟩": "+12025550143", "⟨address:1⟩": "41 Oak Street", "⟨name:1⟩": "Ada Quist" },
    /** Recordings by the call, and how often sound of one was fetched. */
    recordings: new Map(),
    played: 0,
    /** Calls back that were asked for. */
    dialed: [],
    /** Role of whoever is signed in. */
    role: "platform-admin",
    users: [
      { id: "0197-u1", login: "ana", name: "Ana Ruiz", role: "supervisor" },
      { id: "0197-u2", login: "eve", name: "Eve Park", role: "auditor" },
    ],
    /** Who runs the platform, with what programs, and who did what of it. */
    administrators: [{ id: "0197-a0", login: "local-admin", name: "Local administrator", role: "platform-admin" }],
    platformPrograms: [],
    platformAudit: [],
    /** What agents want to do, remember, and may not say. */
    oversight: newOversight(),
    campaigns: newCampaigns(),
    /** Paths that the gateway says it has, with the parameters of their lists. */
    paths: {
      "/v1/calls/{id}/takeover": [],
      "/v1/calls/{id}/dictation": [],
      "/v1/calls": ["state", "q", "topic", "caller", "line", "outcome", "from", "to", "limit", "cursor"],
      "/v1/calls/{id}/recording": [],
      "/v1/calls/{id}/recording/pause": [],
      "/v1/work-items/{id}/call": [],
      "/v1/knowledge/documents/{id}": [],
      "/v1/overview": ["from", "to"],
      "/v1/campaigns": ["limit", "cursor"],
      "/v1/calls/{id}/judgement": [],
    },
    /** What a role asked for that it may not have. */
    forbidden: [],
    tenants: [TENANT],
    /** By the tenant's id. */
    configs: new Map([
      [TENANT.id, { version: "v1", document: settingsOf("Riverbend County", "riverbend", "+12025550100"), toml: 'name = "Riverbend County"\n' }],
      ["0197-t2", { version: "v1", document: settingsOf("City of Oakdale", "oakdale", "+12025550171"), toml: 'name = "City of Oakdale"\n' }],
    ]),
    claims: [],
    teams: shippedTeams(),
    /** What people held of calls, by the call. */
    judgements: new Map(),
    /** Tokens of programs; `tokens` are those of sign-in links. */
    programs: [],
    /** Records of agents, as autonomy tells them. */
    agents: [],
    audit: [],
    documents: [],
    /** Questions that no page answered. */
    asked: [],
  };
  const server = createServer((request, response) => routes(mock, request, response));
  attachMedia(server, mock);
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  mock.url = `http://127.0.0.1:${server.address().port}`;
  mock.signIn = `${mock.url}/sign-in?token=one-time`;
  mock.close = () => {
    feed.closeAll();
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  if (examples) exampleCalls(mock);
  return mock;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const mock = await startMock({ port: Number(process.env.PORT ?? 8090), examples: true });
  console.log(`mock gateway: ${mock.signIn}`);
}
