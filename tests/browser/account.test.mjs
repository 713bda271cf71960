// One's own sign-in: a password, where one is signed in, and an administrator's reset.

import assert from "node:assert/strict";

import { until } from "./lib/browser.mjs";
import { assertAccessible } from "./lib/axe.mjs";
import { consoleSuite, everyLook } from "./lib/suite.mjs";

consoleSuite("one's own sign-in", (test) => {
  test("a password is set by keyboard, changed with the old one, and lets in", {}, async ({ page, mock }) => {
    await page.getByRole("link", { name: "Your sign-in" }).focus();
    await page.keyboard.press("Enter");
    const fresh = page.getByLabel("New password");
    assert.equal(await fresh.getAttribute("autocomplete"), "new-password");
    assert.equal(await page.getByLabel("Old password").count(), 0, "whoever came by a link needs none");
    await fresh.fill("wombats eat grass");
    await page.keyboard.press("Enter");
    await page.getByText("Done. Your other sessions have ended.").waitFor();
    await until("the other sessions to be gone", async () => (await page.locator("[data-session]").count()) === 1);
    const old = page.getByLabel("Old password");
    await old.fill("wrong");
    assert.equal(await old.getAttribute("autocomplete"), "current-password");
    await fresh.fill("yaks climb no trees");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Old is not your password.").waitFor();
    await page.getByLabel("Old password").fill("wombats eat grass");
    await page.keyboard.press("Enter");
    await until("another password", () => mock.account.password === "yaks climb no trees");
    await page.getByRole("button", { name: "Sign out" }).click();
    const login = page.getByLabel("Login");
    assert.equal(await login.getAttribute("autocomplete"), "username");
    await assertAccessible(page, "the sign-in page");
    await login.fill("pat");
    await page.keyboard.press("Tab");
    await page.keyboard.type("yaks climb no trees");
    await page.keyboard.press("Enter");
    await page.getByRole("banner").waitFor();
  });

  test("sessions are ended one by one and all at once", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/account`);
    await page.locator("[data-session=s2]").getByRole("button", { name: /^End/ }).click();
    await until("one to be gone", async () => (await page.locator("[data-session]").count()) === 2);
    await page.getByRole("button", { name: "End all others" }).click();
    await until("the rest to be gone", async () => (await page.locator("[data-session]").count()) === 1);
    await page.getByText("This browser").waitFor();
    assert.equal(await page.getByRole("button", { name: "End all others" }).count(), 0);
  });

  test("a passkey is named and taken away; where there can be none it is said why", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/account`);
    await page.getByText("Passkeys need a gateway with a name of its own and HTTPS.").waitFor();
    await page.getByRole("button", { name: "Rename Office laptop" }).click();
    await page.getByLabel("New name").fill("Desk");
    await page.keyboard.press("Enter");
    await page.locator("[data-passkey=Desk]").getByText("last used").waitFor();
    await page.getByRole("button", { name: "Remove Desk" }).click();
    await until("none to be left", async () => (await page.locator("[data-passkey]").count()) === 0 && mock.account.passkeys.length === 0);
  });

  test("an administrator resets somebody's sign-in after a question", {}, async ({ page, mock }) => {
    await page.goto(`${mock.url}/#/settings`);
    await page.getByRole("button", { name: "People" }).click();
    await page.getByRole("button", { name: "Reset sign-in of ana" }).click();
    await page.getByRole("dialog", { name: "Reset the sign-in of ana?" }).getByRole("button", { name: "Reset" }).click();
    await page.getByText("The only way in for ana.").waitFor();
    await page.getByText(`${mock.url}/sign-in?token=for-ana`).waitFor();
  });

  everyLook(test, "is accessible and fits", {}, async ({ page, mock, look }) => {
    await page.goto(`${mock.url}/#/account`);
    await page.locator("[data-session=s3]").waitFor();
    await look("account");
  });
});
