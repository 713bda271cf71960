// The console against a real gateway. Needs, in the environment:
//   QUANDURA_URL     the console's address
//   QUANDURA_SIGNIN  the one-time sign-in link that `quandura serve` printed
//   QUANDURA_WAV     16-bit WAV file of a caller's question, in words that the recogniser knows
// The link works once, so one signed-in browser state serves all tests here.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";

import { assertAccessible } from "./lib/axe.mjs";
import { browserMissing, openBrowser, openPage, PHONE_SIZE, shot, signIn, until } from "./lib/browser.mjs";
import { asMicrophone, readWav, wav } from "./lib/wav.mjs";

const { QUANDURA_URL: url, QUANDURA_SIGNIN: link, QUANDURA_WAV: file } = process.env;
const skip = browserMissing || (url && link && file ? false : "set QUANDURA_URL, QUANDURA_SIGNIN and QUANDURA_WAV");
/** A whole turn on a slow machine: listening, thinking, speaking. */
const TURN_MS = 45_000;

describe("console with a real gateway", { skip }, () => {
  let browser;
  let storageState;
  let page;
  let question;
  before(async () => {
    question = readWav(readFileSync(file));
    // The file repeats: what falls into the greeting is said again after it.
    browser = await openBrowser(asMicrophone(question, { before: 4, after: 8 }));
    const first = await openPage(browser, url);
    await signIn(first, link);
    storageState = await first.context().storageState();
    await first.context().close();
  });
  after(() => browser?.close());

  const withPage = (options, test) => async () => {
    page = await openPage(browser, url, { storageState, ...options });
    try {
      await page.goto(url);
      await page.getByRole("banner").waitFor();
      await test();
      assert.deepEqual(page.trouble, []);
    } catch (error) {
      await shot(page, "gateway-failed").catch(() => undefined);
      throw error;
    } finally {
      await page.context().close();
    }
  };

  const captions = () => page.getByRole("region", { name: "Caption text" });
  const said = (speaker) => captions().locator(`li[data-speaker=${speaker}][data-interim=false]`);
  const agentLevel = () => page.getByRole("meter", { name: "Level: Agent" }).getAttribute("aria-valuenow").then(Number);

  /** Waits for a full turn: greeting, the caller's final words, the answer, and its waterfall. */
  async function aWholeTurn() {
    await until("the agent to be audible", async () => (await agentLevel()) > 10, TURN_MS);
    await said("agent").first().waitFor({ timeout: TURN_MS });
    await said("caller").first().waitFor({ timeout: TURN_MS });
    await said("caller").locator("xpath=following-sibling::li[@data-speaker='agent']").first().waitFor({ timeout: TURN_MS });
    const row = page.locator('[data-waterfall]:not([data-waterfall="0"])').first();
    await row.waitFor({ timeout: TURN_MS });
    assert.match(await row.innerText(), /\d+ ms/);
    assert.match(await row.innerText(), /Turn end/);
  }

  it("holds a call by microphone, from the dial to the list of ended calls", withPage({}, async () => {
    await page.getByRole("link", { name: "Phone" }).first().click();
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("heading", { name: "In a call" }).waitFor();
    await aWholeTurn();
    await shot(page, "gateway-in-call");
    await assertAccessible(page, "in a call");
    await page.getByRole("button", { name: "Hang up" }).click();
    await page.getByRole("link", { name: "See the whole call" }).click();
    await page.locator("[data-call][data-state=ended][aria-current=true]").waitFor();
    const words = page.getByRole("region", { name: "Words of the call" });
    await words.locator("li[data-speaker=caller]").first().waitFor();
    await words.locator("li[data-speaker=agent]").first().waitFor();
    await shot(page, "gateway-call");
    await assertAccessible(page, "an ended call");
    // What is stored must read the same as what was seen live.
    await page.reload();
    await words.locator("li[data-speaker=caller]").first().waitFor();
    await page.locator("[data-waterfall]").first().waitFor();
  }));

  it("holds a call by recording, with the keyboard alone", withPage({}, async () => {
    await page.keyboard.press("p");
    await page.getByRole("radio", { name: /Recording/ }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Choose a WAV file").setInputFiles({ name: "question.wav", mimeType: "audio/wav", buffer: wav(question.samples, question.rate) });
    await page.getByRole("button", { name: "Call", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "In a call" }).waitFor();
    await page.locator("[data-recording=done]").waitFor({ timeout: TURN_MS });
    await aWholeTurn();
    await shot(page, "gateway-recording");
    await page.keyboard.press("h");
    await page.getByRole("heading", { name: "Call ended" }).waitFor();
    await page.keyboard.press("c");
    await page.keyboard.press("j");
    await page.locator("[data-call][data-state=ended][aria-current=true]").waitFor();
  }));

  it("hangs up a call from the list", withPage({}, async () => {
    await page.getByRole("link", { name: "Phone" }).first().click();
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("heading", { name: "In a call" }).waitFor();
    await page.keyboard.press("c");
    await page.locator("[data-call][data-state=live]").first().click();
    await page.getByRole("article", { name: "Selected call" }).getByRole("button", { name: "Hang up" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Hang up" }).click();
    await page.locator("[data-call][data-state=ended][aria-current=true]").waitFor({ timeout: TURN_MS });
  }));

  for (const theme of ["dark", "light"]) {
    for (const [size, viewport] of [["desk", undefined], ["phone", PHONE_SIZE]]) {
      it(`is accessible and fits, ${theme}, ${size} size`, withPage({ theme, ...(viewport && { viewport }) }, async () => {
        for (const screen of ["calls", "work", "phone"]) {
          await page.goto(`${url}/#/${screen}`);
          await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
          await page.locator("[data-feed=live]").waitFor();
          await shot(page, `gateway-${screen}-${theme}-${size}`);
          await assertAccessible(page, `${screen} ${theme} ${size}`);
        }
      }));
    }
  }

  it("asks for sign-in where nobody is signed in, and takes no link twice", async () => {
    const stranger = await openPage(browser, url);
    await stranger.goto(url);
    await stranger.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    await stranger.goto(link);
    const button = stranger.getByRole("button").first();
    if (await button.isVisible()) await button.click();
    await stranger.goto(url);
    await stranger.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    await stranger.context().close();
  });
});
