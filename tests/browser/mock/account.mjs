// What somebody signs in with, and where: as the gateway keeps it.

import { bodyOf, json, refuse } from "./http.mjs";

const passwordOf = (mock) => mock.account.password;

/** The page that somebody gets who was not let in, as the gateway's. */
export async function byPassword(mock, request, response, enter) {
  const form = new URLSearchParams(await bodyOf(request));
  if (request.headers.origin !== mock.url) return response.writeHead(403).end();
  if (form.get("login") === "pat" && form.get("password") === passwordOf(mock)) return enter();
  response.writeHead(401, { "content-type": "text/html" });
  response.end(`<!doctype html><html lang="en"><title>Sign in</title><p role="alert">That login and password do not belong together.</p></html>`);
}

export async function account(mock, request, response, url) {
  const { account } = mock;
  const path = `${request.method} ${url.pathname}`;
  if (path === "GET /v1/me/sign-in") {
    const { set_at: password_set_at, needs_old: needs_old_password } = account;
    return json(response, { login: "pat", password_set_at, may_set_password: true, needs_old_password, passkeys: account.passkeys, may_add_passkey: true });
  }
  if (path === "PUT /v1/me/password") {
    const asked = JSON.parse(await bodyOf(request));
    if (account.needs_old && asked.old !== account.password) return refuse(response, 400, "INVALID_PARAMETER", "old is not your password");
    if (asked.new.length < 12) return refuse(response, 400, "INVALID_PARAMETER", `new has ${asked.new.length} characters; it needs 12`);
    Object.assign(account, { password: asked.new, set_at: new Date().toISOString(), needs_old: true });
    account.sessions = account.sessions.filter((one) => one.is_this);
    return response.writeHead(204).end();
  }
  const [, , , , passkey] = url.pathname.split("/");
  if (path.startsWith("PATCH /v1/me/passkeys/")) {
    const { name } = JSON.parse(await bodyOf(request));
    account.passkeys = account.passkeys.map((one) => (one.id === passkey ? { ...one, name } : one));
    return response.writeHead(204).end();
  }
  if (path.startsWith("DELETE /v1/me/passkeys/")) {
    account.passkeys = account.passkeys.filter((one) => one.id !== passkey);
    return response.writeHead(204).end();
  }
  if (path === "GET /v1/me/sessions") return json(response, { items: account.sessions, next_cursor: null });
  const id = url.pathname.split("/")[4];
  account.sessions = account.sessions.filter((one) => one.is_this || (id !== undefined && one.id !== id));
  response.writeHead(204).end();
}

const at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
const session = (id, begun_by, minutes, is_this) => ({ id, begun_by, created_at: at(minutes), seen_at: at(0), expires_at: at(minutes - 720), is_this });

export const newAccount = () => ({
  password: null,
  set_at: null,
  needs_old: false,
  passkeys: [{ id: "p1", name: "Office laptop", created_at: at(500), used_at: at(90) }],
  sessions: [session("s1", "link", 2, true), session("s2", "password", 90, false), session("s3", "password", 200, false)],
});
