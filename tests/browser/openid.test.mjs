// Signing in with an OpenID provider: a real, certified one (`oidc-provider`) on this machine, a real gateway, a real browser.
// Needs QUANDURA_BINARY, the gateway's program, in the environment, and fails without it.

import assert from "node:assert/strict";
import { createSign, generateKeyPairSync } from "node:crypto";
import { after, before, describe, it } from "node:test";

import Provider from "oidc-provider";

import { assertAccessible } from "./lib/axe.mjs";
import { openBrowser, shot } from "./lib/browser.mjs";
import { freePort, startGateway } from "./lib/own-gateway.mjs";

const CLIENT = { client_id: "quandura", client_secret: "the-secret-of-the-client" };
/** Whoever signs in at the provider under this name, with any password. */
const PEOPLE = {
  pat: { name: "Pat Lee", email: "pat@river.example", email_verified: true, groups: ["staff", "supervisors"] },
  kim: { name: "Kim Roe", email: "kim@river.example", email_verified: true, groups: ["gardeners"] },
  lou: { name: "Lou Poe", email: "lou@river.example", email_verified: false, groups: ["supervisors"] },
};

/** `wrong`: what the provider's tokens are to have wrong. */
async function startProvider(gateway) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const fault = { wrong: null };
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [`${gateway}/sign-in/openid/callback`], post_logout_redirect_uris: [`${gateway}/`] }],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "first", use: "sig", alg: "RS256" }] },
    cookies: { keys: ["a-key-of-this-test"] },
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: `${id}-7`, ...PEOPLE[id] }) }),
  });
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  // What a provider that is set up wrongly would sign: its own key, and one claim that is not as it should be.
  provider.use(async (ctx, next) => {
    await next();
    if (fault.wrong === null || !ctx.body?.id_token) return;
    const claims = { ...JSON.parse(Buffer.from(ctx.body.id_token.split(".")[1], "base64url")), ...fault.wrong() };
    const signed = `${part({ alg: "RS256", kid: "first" })}.${part(claims)}`;
    ctx.body = { ...ctx.body, id_token: `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}` };
  });
  const server = provider.listen(port, "127.0.0.1");
  return { issuer, fault, close: () => server.close() };
}

const settings = (issuer) => `[sign_in.openid]\nissuer = "${issuer}"\nclient_id = "${CLIENT.client_id}"\nname = "Riverbend County"
scopes = ["profile", "email", "groups"]\nclaim = "groups"
[[sign_in.openid.map]]\nvalue = "supervisors"\nrole = "supervisor"\ntenant = "riverbend"\n`;

describe("an OpenID provider", () => {
  let browser, gateway, provider, url;
  before(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    provider = await startProvider(url);
    gateway = await startGateway(url, settings(provider.issuer), { OPENID_CLIENT_SECRET: CLIENT.client_secret });
    browser = await openBrowser(null);
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    provider?.close();
  });

  /** A page that knows nothing yet; it may go to the provider, so no request is held against it. */
  const withPage = (test) => async () => {
    provider.fault.wrong = null;
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    try {
      await test(page);
    } catch (error) {
      await shot(page, "openid-failed").catch(() => undefined);
      throw error;
    } finally {
      await context.close();
    }
  };

  async function signIn(page, who, { consent = true } = {}) {
    await page.goto(url);
    await page.getByRole("link", { name: "Sign in with Riverbend County" }).click();
    await page.locator("[name=login]").fill(who);
    await page.locator("[name=password]").fill("any");
    await page.keyboard.press("Enter");
    await page.getByRole(consent ? "button" : "link", { name: consent ? "Continue" : /Cancel/ }).click();
  }

  it("lets in whom the settings give a role, and signs out at both ends", withPage(async (page) => {
    await signIn(page, "pat");
    await page.getByRole("banner").waitFor();
    const me = await page.evaluate(() => fetch("/v1/me").then((answer) => answer.json()));
    assert.deepEqual([me.subject, me.roles, me.tenant.slug], ["openid:pat@river.example", ["supervisor"], "riverbend"]);
    await page.goto(`${url}/#/account`);
    await page.getByText("With your organization").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: /sign me out/i }).click();
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    assert.equal(new URL(page.url()).origin, url);
    await page.getByRole("link", { name: "Sign in with Riverbend County" }).click();
    await page.locator("[name=login]").waitFor(); // Signed out there, too.
  }));

  const refused = (title, who, told, wrong = null) =>
    it(title, withPage(async (page) => {
      provider.fault.wrong = wrong;
      await signIn(page, who);
      const alert = page.getByRole("alert");
      await alert.waitFor();
      assert.match(await alert.innerText(), told);
      await assertAccessible(page, title);
      assert.equal((await page.context().request.get(`${url}/v1/me`)).status(), 401);
    }));

  refused("says what to mend where a group stands for no role", "kim", /your `groups` \(gardeners\) is in no entry of \[\[sign_in\.openid\.map\]\]/);
  refused("asks for a verified address", "lou", /has not verified your address/);
  refused("takes no token that is for somebody else", "pat", /for somebody else \(aud\)/, () => ({ aud: "another-client" }));
  refused("takes no token that has expired", "pat", /has expired \(exp\)/, () => ({ exp: Math.floor(Date.now() / 1000) - 120 }));

  it("says that the provider let nobody in", withPage(async (page) => {
    await signIn(page, "pat", { consent: false });
    await page.getByRole("alert").getByText("did not let you in (access_denied)").waitFor();
  }));

  it("keeps every secret out of the log", () => {
    for (const secret of [CLIENT.client_secret, "id_token", "code_verifier"]) assert.ok(!gateway.log().includes(secret), secret);
  });
});
