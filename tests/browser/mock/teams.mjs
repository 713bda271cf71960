// The teams of an office, as far as the console shows them.

import { bodyOf, json, refuse } from "./http.mjs";

const SHIPPED = 'id = "claims"\nname = "Claims Team"\npurpose = "Takes questions about claims."\nautonomy = 2\n';

export const shippedTeams = () => new Map([["claims", { shipped: SHIPPED, own: null, versions: [] }]]);

const field = (text, name) => new RegExp(`^${name}\\s*=\\s*"([^"]*)"`, "m").exec(text)?.[1] ?? "";
const held = (team) => team.own ?? team.shipped;
const sourceOf = (team) => (team.own === null ? "shipped" : team.shipped === null ? "own" : "changed");

function faultsOf(text) {
  const at = text.split("\n").findIndex((line) => /^purpose\s*=\s*""/.test(line));
  return at < 0 ? [] : [{ key: "purpose", line: at + 1, message: "is empty; say it in a sentence" }];
}

function changesOf(now, then) {
  if (now === null) return ["the team is new"];
  return ["name", "purpose"].filter((name) => field(now, name) !== field(then, name)).map((name) => `${name}: "${field(now, name)}" becomes "${field(then, name)}"`);
}

export async function teams(mock, request, response, url) {
  const [id, part, number, act] = url.pathname.split("/").slice(3);
  if (id === "check" || id === "try") return asked(mock, id, JSON.parse(await bodyOf(request)), response);
  if (!id) return json(response, { items: [...mock.teams].filter(([, team]) => held(team) !== null).map(itemOf) });
  const team = mock.teams.get(id) ?? { shipped: null, own: null, versions: [] };
  if (part === "versions" && number) return act === "rollback" ? keep(mock, id, team, team.versions[Number(number) - 1].text, response, [`goes back to version ${number}`]) : json(response, team.versions[Number(number) - 1]);
  if (part === "versions") return json(response, { items: [...team.versions].reverse(), next_cursor: null });
  if (request.method === "PUT") {
    const text = await bodyOf(request);
    const tag = request.headers["if-match"];
    if (tag && tag !== "*" && tag !== String(team.versions.length)) return refuse(response, 412, "CONFLICT", "it was changed meanwhile", "read it again, then retry");
    return keep(mock, id, team, text, response, changesOf(held(team), text));
  }
  if (request.method === "DELETE") return keep(mock, id, team, null, response, ["the team goes"]);
  if (held(team) === null) return refuse(response, 404, "NOT_FOUND", "There is no such team.");
  json(response, { id, source: sourceOf(team), version: team.versions.length, text: held(team) });
}

function keep(mock, id, team, text, response, changes) {
  team.own = text;
  team.versions.push({ number: team.versions.length + 1, made_at: new Date().toISOString(), actor: "local-admin", changes, is_gone: text === null, text, differences: [] });
  mock.teams.set(id, team);
  json(response, { version: team.versions.length, changes });
}

const itemOf = ([id, team]) => ({
  id,
  name: field(held(team), "name"),
  purpose: field(held(team), "purpose"),
  source: sourceOf(team),
  version: team.versions.length,
  autonomy: 2,
  specialists: [{ id: "first_look", does: "Says what it is about." }],
  matters: ["incident"],
  examples: 0,
});

function asked(mock, id, body, response) {
  if (id === "check") {
    const faults = faultsOf(body.text);
    const team = mock.teams.get(field(body.text, "id"));
    return json(response, { valid: faults.length === 0, faults, changes: faults.length > 0 ? [] : changesOf(team ? held(team) : null, body.text) });
  }
  const own = [...mock.teams.values()].map(held).concat(body.draft ?? []).find((text) => text && field(text, "id") === "roads");
  const team = own && body.words.includes("hole") ? ["roads", field(own, "name")] : ["claims", "Claims Team"];
  json(response, {
    destination: "team",
    team: team[0],
    team_name: team[1],
    specialist: "first_look",
    does: "Says what it is about.",
    confidence: 0.97,
    reason: null,
    route: null,
    score: 0,
    nearest: [{ route: "team.roads", text: "the road is full of holes", likeness: 0.9 }],
  });
}
