// Passkeys: a real gateway, and Chromium's own authenticator, played by its debugger. Needs QUANDURA_BINARY.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { assertAccessible } from "./lib/axe.mjs";
import { openBrowser, openPage, shot, until } from "./lib/browser.mjs";
import { freePort, startGateway } from "./lib/own-gateway.mjs";

const DEVICE = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
};

describe("passkeys", () => {
  let browser, gateway, url;
  before(async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    gateway = await startGateway(address);
    // Browsers take a name for a passkey, never an address.
    url = address.replace("127.0.0.1", "localhost");
    browser = await openBrowser(null);
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });

  it("are added after a link, let in by themselves, and not as a copy or without their owner", async () => {
    const page = await openPage(browser, url);
    try {
      const debug = await page.context().newCDPSession(page);
      await debug.send("WebAuthn.enable");
      const { authenticatorId } = await debug.send("WebAuthn.addVirtualAuthenticator", { options: DEVICE });
      await page.goto(gateway.link.replace("127.0.0.1", "localhost"));
      await page.getByRole("button", { name: "Sign in to the console" }).click();
      await page.getByRole("link", { name: "Your sign-in" }).click();
      await page.getByLabel("Name of the new passkey").fill("Laptop");
      await page.keyboard.press("Enter");
      await page.locator("[data-passkey=Laptop]").getByText("not used yet").waitFor();
      await page.getByLabel("Name of the new passkey").fill("Again");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("This device has a passkey of yours already.").waitFor();
      await assertAccessible(page, "one's own sign-in");
      await shot(page, "passkeys");

      const signOut = async () => {
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
      };
      const passkey = page.getByRole("button", { name: "Sign in with a passkey" });
      await signOut();
      await assertAccessible(page, "the sign-in page with passkeys");
      await passkey.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("banner").waitFor();
      await page.goto(`${url}/#/account`);
      await page.getByText("With a passkey").waitFor();
      await page.locator("[data-passkey=Laptop]").getByText("last used just now").waitFor();
      await signOut();

      await debug.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
      await passkey.click();
      await page.getByRole("alert").getByText("No passkey was used.").waitFor();
      await debug.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });

      const { credentials } = await debug.send("WebAuthn.getCredentials", { authenticatorId });
      assert.ok(credentials.length === 1 && credentials[0].signCount > 0, JSON.stringify(credentials.map((one) => one.signCount)));
      await debug.send("WebAuthn.removeCredential", { authenticatorId, credentialId: credentials[0].credentialId });
      await debug.send("WebAuthn.addCredential", { authenticatorId, credential: { ...credentials[0], signCount: 0 } });
      await passkey.click();
      await page.getByRole("alert").getByText("This passkey lets nobody in here.").waitFor();
      await until("the copy on the log", () => gateway.log().includes("copied"));
      assert.deepEqual(page.trouble, []);
    } catch (error) {
      await shot(page, "passkeys-failed").catch(() => undefined);
      throw error;
    } finally {
      await page.context().close();
    }
  });
});
