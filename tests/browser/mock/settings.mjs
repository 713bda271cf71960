// A tenant as one document, and the audit, as far as the console shows them.

import { bodyOf, json, refuse } from "./http.mjs";

/** A document of the second office is another one. */
export const settingsOf = (name, slug, number) => ({
  slug,
  name,
  timezone: "America/New_York",
  office: { address: "2 Mill Road", phone: "202-555-0170" },
  hours: { weekdays: "8:00-17:00", friday: "8:00-12:00" },
  line: [{ number, name: "Main line", languages: ["en", "es"], recording_consent: "notice" }],
});

export async function config(mock, request, response, url) {
  const [, , , id, , check] = url.pathname.split("/");
  const kept = mock.configs.get(id);
  if (!kept) return refuse(response, 404, "NOT_FOUND", "There is no such tenant.");
  if (check === "versions") return versions(kept, request, response, url);
  response.setHeader("etag", `"${kept.version}"`);
  if (request.method === "GET") {
    if (!(request.headers.accept ?? "").includes("toml")) return json(response, kept.document);
    return response.writeHead(200, { "content-type": "application/toml" }).end(kept.toml);
  }
  const body = await bodyOf(request);
  const isFile = (request.headers["content-type"] ?? "").includes("toml");
  const document = isFile ? { ...kept.document, name: /^name = "(.*)"$/m.exec(body)?.[1] ?? "" } : JSON.parse(body);
  const faults = faultsOf(document);
  const changes = faults.length > 0 ? [] : changesOf(kept.document, document);
  if (check) return json(response, { valid: faults.length === 0, faults, changes });
  if (faults.length > 0) return refuse(response, 422, "INVALID_PARAMETER", `${faults[0].key} ${faults[0].message}`);
  if (request.headers["if-match"]?.replaceAll('"', "") !== kept.version) return refuse(response, 412, "CONFLICT", "the document was changed meanwhile", "read it again, then retry");
  kept.versions ??= [{ number: 1, actor: "outside the document", changes: ["as it was before"], document: kept.document }];
  // Claims are put and never given out.
  const { claim: claims = [], ...rest } = document;
  mock.claims.push(...claims);
  Object.assign(kept, { document: rest, version: `v${Number(kept.version.slice(1)) + 1}`, toml: isFile ? body : kept.toml });
  mock.audit.unshift(entry(mock, "settings.changed", "config"));
  const number = kept.versions.length + 1;
  kept.versions.push({ number, actor: "local-admin", changes, document: rest });
  json(response, { version: kept.version, changes, kept_as: number });
}

/** A tenant that knows nothing yet. */
export async function newOffice(mock, request, response) {
  const { name, slug } = JSON.parse(await bodyOf(request));
  if (mock.tenants.some((known) => known.slug === slug)) return refuse(response, 409, "CONFLICT", "that slug is taken");
  const made = { id: `0197-${slug}`, slug, name };
  mock.tenants.push(made);
  mock.configs.set(made.id, { version: "v1", document: { slug, name, line: [] }, toml: `slug = "${slug}"\nname = "${name}"\n` });
  json(response, made, 201);
}

/** What the document was. */
function versions(kept, request, response, url) {
  const [number, act] = url.pathname.split("/").slice(6);
  const all = kept.versions ?? [];
  const shown = ({ document: _, ...rest }) => ({ ...rest, made_at: new Date().toISOString(), is_gone: false });
  if (!number) return json(response, { items: all.map(shown).reverse(), next_cursor: null });
  const found = all[Number(number) - 1];
  if (!found) return refuse(response, 404, "NOT_FOUND", "There is no such version.");
  const changes = changesOf(kept.document, found.document);
  if (!act) return json(response, { ...shown(found), document: found.document, differences: changes });
  Object.assign(kept, { document: found.document, version: `v${Number(kept.version.slice(1)) + 1}` });
  all.push({ number: all.length + 1, actor: "local-admin", changes: [`goes back to version ${number}`, ...changes], document: found.document });
  json(response, { version: kept.version, changes, kept_as: all.length });
}

function faultsOf(document) {
  const faults = [];
  if (!document.name) faults.push({ key: "name", message: "is not said" });
  if (document.office?.phone && !/^[\d-]{10,}$/.test(document.office.phone)) faults.push({ key: "office.phone", message: `is no telephone number: "${document.office.phone}"` });
  (document.line ?? []).forEach((line, n) => {
    if (!/^\+\d{11}$/.test(line.number ?? "")) faults.push({ key: `line[${n + 1}].number`, message: "is no telephone number" });
  });
  (document.target ?? []).forEach((target, n) => {
    if (!target.name) faults.push({ key: `target[${n + 1}].name`, message: "is missing: callers hear it" });
    if (!/^\+\d{11}$/.test(target.number ?? "")) faults.push({ key: `target[${n + 1}].number`, message: "is no telephone number" });
    if (target.notes && !target.warm) faults.push({ key: `target[${n + 1}].notes`, message: "needs `warm`" });
    (target.subjects ?? []).forEach((subject, m) => {
      if (!/\w/.test(subject)) faults.push({ key: `target[${n + 1}].subjects[${m + 1}]`, message: "has no words: callers say them" });
    });
  });
  return faults;
}

const flat = (value, key = "") =>
  value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([name, one]) => flat(one, key === "" ? name : Array.isArray(value) ? `${key}[${Number(name) + 1}]` : `${key}.${name}`))
    : [[key, String(value)]];

function changesOf(now, then) {
  const [before, after] = [new Map(flat(now)), new Map(flat(then))];
  const keys = new Set([...before.keys(), ...after.keys()].filter((key) => !key.startsWith("claim")));
  const changes = [...keys].filter((key) => before.get(key) !== after.get(key)).map((key) => `${key}: ${before.get(key) ?? "nothing"} becomes ${after.get(key) ?? "nothing"}`);
  return then.claim?.length > 0 ? [...changes, `${then.claim.length} claims are put`] : changes;
}

export const entry = (mock, action, subject, actor = "local-admin") => ({
  seq: mock.audit.length + 1,
  id: `audit-${mock.audit.length + 1}`,
  at: new Date().toISOString(),
  trace_id: "",
  actor: { kind: "user", id: actor },
  action,
  subject: { kind: "setting", id: subject },
  outcome: "done",
  details: {},
  has_personal: false,
  hash: "",
});

export function audit(mock, request, response, url) {
  const ofPlatform = request.headers["x-tenant"] === "_platform";
  if (ofPlatform && mock.role !== "platform-admin") return refuse(response, 404, "NOT_FOUND", "There is no such tenant.");
  const kept = ofPlatform ? mock.platformAudit : mock.audit;
  if (url.pathname === "/v1/audit/verify") return json(response, { tenant: ofPlatform ? "_platform" : "riverbend", whole: true, entries: kept.length, head: `${kept.length}:abc` });
  const action = url.searchParams.get("action");
  const actor = url.searchParams.get("actor");
  const subject = url.searchParams.get("subject");
  const is = (one) => (!action || one.action === action) && (!actor || one.actor.id === actor) && (!subject || one.subject.id === subject);
  const found = kept.filter(is);
  json(response, { items: found.slice(0, 50), next_cursor: null });
}

/** Users and tokens: listed, made, taken away. Without a tenant they are the platform's own. */
export async function people(mock, request, response, url) {
  const [, , what, id] = url.pathname.split("/");
  const asked = request.method === "POST" ? JSON.parse(await bodyOf(request)) : {};
  const ofPlatform = mock.role === "platform-admin" && !(url.searchParams.get("tenant") ?? asked.tenant);
  const list = what === "tokens" ? (ofPlatform ? "platformPrograms" : "programs") : ofPlatform ? "administrators" : "users";
  if (request.method === "GET") return json(response, { items: mock[list], next_cursor: null });
  if (request.method === "DELETE") {
    const named = mock.administrators.filter((one) => one.login !== "local-admin");
    if (list === "administrators" && named.length === 1 && named[0].id === id) {
      return refuse(response, 409, "CONFLICT", `${named[0].login} is the last platform administrator with a name of their own`, "add another platform administrator first, then remove this one");
    }
    mock[list] = mock[list].filter((one) => one.id !== id);
    return response.writeHead(204).end();
  }
  if (id === "links") return json(response, { url: `${mock.url}/sign-in?token=for-${asked.login}`, expires_in_s: 900 }, 201);
  if (mock[list].some((one) => one.login !== undefined && one.login === asked.login)) return refuse(response, 409, "CONFLICT", "this login is taken");
  const made = { id: `0197-${list}-${mock[list].length + 1}`, revoked_at: null, expires_at: null, ...asked };
  mock[list] = [...mock[list], made];
  if (list === "administrators") mock.platformAudit.unshift(entry(mock, "user.created", made.id));
  json(response, what === "tokens" ? { ...made, secret: "qv_once_only" } : made, 201);
}
