// The console against a real gateway. Needs, in the environment:
//   QUANDURA_URL     the console's address
//   QUANDURA_SIGNIN  the one-time sign-in link that `quandura serve` printed
//   QUANDURA_WAV     16-bit WAV file of a caller's sentence, in words that the recogniser knows
//   QUANDURA_WORDS   what is said in it
// Without them these tests fail: none of them is ever skipped.
// The link works once, so one signed-in browser state serves all tests here.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";

import { assertAccessible } from "./lib/axe.mjs";
import { openBrowser, openPage, PHONE_SIZE, shot, signIn, until } from "./lib/browser.mjs";
import { bothThemes } from "./lib/suite.mjs";
import { asMicrophone, readWav, wav } from "./lib/wav.mjs";
import { overlap } from "./lib/words.mjs";
import { energy } from "./mock/voice.mjs";

const { QUANDURA_URL: url, QUANDURA_SIGNIN: link, QUANDURA_WAV: file, QUANDURA_WORDS: said } = process.env;
/** How the demo line greets, whatever it says after that. */
const GREETING = "Thank you for calling Riverbend County";
/** Share of the words that must be heard: one in five may be wrong on a telephone line. */
const HEARD = 0.8;
/** A whole turn on a slow machine: listening, thinking, speaking. */
const TURN_MS = 45_000;

describe("console with a real gateway", () => {
  let browser;
  let storageState;
  let page;
  let question;
  before(async () => {
    assert.ok(url && link && file && said, "set QUANDURA_URL, QUANDURA_SIGNIN, QUANDURA_WAV and QUANDURA_WORDS");
    question = readWav(readFileSync(file));
    // The caller hears the greeting out. The file repeats: what falls into a later greeting is said again after it.
    browser = await openBrowser(asMicrophone(question, { before: 10, after: 10 }));
    const first = await openPage(browser, url);
    await first.goto(link);
    await shot(first, "gateway-sign-in");
    await assertAccessible(first, "the page of the sign-in link");
    await signIn(first, link);
    // The cookie alone: the theme that this page keeps must not decide over the other pages'.
    storageState = { cookies: (await first.context().storageState()).cookies, origins: [] };
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
  const words = (speaker) => captions().locator(`li[data-speaker=${speaker}][data-interim=false]`);
  const agentLevel = () => page.getByRole("meter", { name: "Level: Agent" }).getAttribute("aria-valuenow").then(Number);

  /** Waits until something that is on the page overlaps with `text` well enough. */
  const wordsOf = (what, list, text) =>
    until(`${what}: ${text}`, async () => (await list.allInnerTexts()).some((t) => overlap(text, t) >= HEARD), TURN_MS);

  /** Waits for a full turn: greeting, the caller's final words, the answer, and its waterfall. */
  async function aWholeTurn() {
    await until("the agent to be audible", async () => (await agentLevel()) > 10, TURN_MS);
    await wordsOf("the greeting", words("agent"), GREETING);
    await wordsOf("the caller's words", words("caller"), said);
    await words("caller").locator("xpath=following-sibling::li[@data-speaker='agent']").first().waitFor({ timeout: TURN_MS });
    const row = page.locator('[data-waterfall]:not([data-waterfall="0"])').first();
    await row.waitFor({ timeout: TURN_MS });
    // The greeting is over by now, so this is the answer.
    await until("the answer to be audible", async () => (await agentLevel()) > 10, TURN_MS);
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
    const whole = page.getByRole("region", { name: "Words of the call" });
    await page.keyboard.press("c");
    await page.locator("[data-call][data-state=live]").click();
    await wordsOf("the caller's words, among the live calls", whole.locator("li[data-speaker=caller]"), said);
    await page.locator("[data-waterfall]").first().waitFor();
    await shot(page, "gateway-live");
    await assertAccessible(page, "a live call");
    await page.keyboard.press("p");
    // Until the phone's screen is there, the call's own button is too.
    await page.getByRole("heading", { name: "In a call" }).waitFor();
    await page.getByRole("button", { name: "Hang up" }).click();
    await page.getByRole("link", { name: "See the whole call" }).click();
    await page.locator("[data-call][data-state=ended][aria-current=true]").waitFor();
    await wordsOf("the caller's words", whole.locator("li[data-speaker=caller]"), said);
    await wordsOf("the greeting", whole.locator("li[data-speaker=agent]"), GREETING);
    await shot(page, "gateway-call");
    await assertAccessible(page, "an ended call");
    // What is stored must read the same as what was seen live.
    await page.reload();
    await wordsOf("the caller's words as stored", whole.locator("li[data-speaker=caller]"), said);
    await wordsOf("the greeting as stored", whole.locator("li[data-speaker=agent]"), GREETING);
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
    // A key counts once its screen is there, which takes longer than this test's fingers.
    await page.getByRole("region", { name: "Recent calls" }).waitFor();
    await page.keyboard.press("j");
    await page.locator("[data-call][data-state=ended][aria-current=true]").waitFor();
  }));

  /** What crosses the sockets of a page whose address has `part` in it: each sound as base64. */
  function wiretap(tapped, part) {
    const sounds = { sent: [], received: [] };
    /** Whoever listens is sent records of a header of 16 bytes and, of all kinds but the first, a frame; one message holds several. */
    const packed = (bytes) => {
      const sounds = [];
      for (let from = 0; from + 16 <= bytes.length; from += bytes[from + 1] === 0 ? 16 : 176) {
        if (bytes[from + 1] !== 0) sounds.push(bytes.subarray(from + 16, from + 176).toString("base64"));
      }
      return sounds;
    };
    const soundsOf = (payload) => {
      if (typeof payload !== "string") {
        if (part === "/listen") return packed(payload);
        return payload.length >= 160 ? [payload.subarray(-160).toString("base64")] : [];
      }
      const message = JSON.parse(payload);
      return message.event === "media" ? [message.media.payload] : [];
    };
    const keep = (list) => ({ payload }) => list.push(...soundsOf(payload));
    tapped.on("websocket", (socket) => {
      if (!socket.url().includes(part)) return;
      socket.on("framesent", keep(sounds.sent));
      socket.on("framereceived", keep(sounds.received));
    });
    return sounds;
  }
  const loud = (sounds) => sounds.filter((sound) => energy(Buffer.from(sound, "base64")) > 0.02);
  /** Share of the loud moments of one list that are in another, sample for sample. */
  function carried(from, to) {
    const there = new Set(to);
    const moments = loud(from);
    return moments.filter((sound) => there.has(sound)).length / Math.max(1, moments.length);
  }

  it("is listened to, taken over and given back, and each side hears the other's very samples", withPage({}, async () => {
    const phone = wiretap(page, "/v1/phone/media");
    await page.keyboard.press("p");
    await page.getByRole("radio", { name: /Recording/ }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Choose a WAV file").setInputFiles({ name: "question.wav", mimeType: "audio/wav", buffer: wav(question.samples, question.rate) });
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("heading", { name: "In a call" }).waitFor();

    const desk = await openPage(browser, url, { storageState });
    const ears = wiretap(desk, "/listen");
    const microphone = wiretap(desk, "/speak");
    await desk.goto(url);
    await desk.locator("[data-call][data-state=live]").first().click();
    const onCall = desk.getByRole("region", { name: "On the call" });
    await onCall.getByRole("button", { name: "Listen" }).click();
    await onCall.getByText("You are listening.").waitFor();
    await page.locator("[data-recording=done]").waitFor({ timeout: TURN_MS });
    // Those who listen may have come after its first words.
    await until("the caller to be heard at the desk", () => loud(ears.received).length > 30, TURN_MS);
    assert.ok(carried(phone.sent.slice(-50 * Math.ceil(question.samples.length / question.rate)), ears.received) > 0.9, "the caller's samples");

    await onCall.getByRole("button", { name: "Take over" }).click();
    await desk.getByRole("dialog").getByRole("button", { name: "Take over" }).click();
    await onCall.getByText("You have the call.").waitFor();
    await wordsOf("who speaks", words("agent"), "You are now speaking with a member of our staff.");
    await shot(desk, "gateway-taken-over");
    await assertAccessible(desk, "a call that was taken over");
    // The microphone's file begins with silence, longer than the announcement.
    await until("the person to speak", () => loud(microphone.sent).length > 80, TURN_MS);
    await until("the caller to hear it", () => carried(microphone.sent.slice(0, -50), phone.received) > 0.95, 5_000);

    await onCall.getByRole("button", { name: "Give back" }).click();
    await desk.getByRole("textbox", { name: /What the agent should know/ }).fill("They were told our hours.");
    await desk.getByRole("dialog").getByRole("button", { name: "Give back" }).click();
    await onCall.getByText("The agent has the call.").waitFor();
    await wordsOf("that the agent is back", words("agent"), "I'm back, the automated assistant. What else can I help you with?");
    assert.deepEqual(desk.trouble, []);
    await desk.context().close();
    await page.getByRole("button", { name: "Hang up" }).click();
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

  for (const [size, viewport] of [["desk", undefined], ["phone", PHONE_SIZE]]) {
    it(`is accessible and fits, ${size} size`, withPage({ ...(viewport && { viewport }) }, async () => {
      for (const screen of ["calls", "work", "phone"]) {
        await page.goto(`${url}/#/${screen}`);
        await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
        await page.locator("[data-feed=live]").waitFor();
        await page.getByText("Loading…").waitFor({ state: "detached" });
        await bothThemes(page, (theme) => `gateway-${screen}-${theme}-${size}`);
      }
    }));
  }

  it("asks for sign-in where nobody is signed in, and takes no link twice", async () => {
    const stranger = await openPage(browser, url);
    await stranger.goto(url);
    await stranger.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    await stranger.goto(link);
    await stranger.getByRole("button").click();
    await stranger.getByText("That link has expired or was already used.").waitFor();
    await stranger.goto(url);
    await stranger.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    await shot(stranger, "gateway-stranger");
    await assertAccessible(stranger, "sign-in");
    assert.deepEqual(stranger.trouble, []);
    await stranger.context().close();
  });
});
