// The browser phone against the mock gateway: real audio graph, real websocket, a WAV file for a microphone.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { assertAccessible } from "./lib/axe.mjs";
import { openBrowser, openPage, PHONE_SIZE, shot, signIn, until } from "./lib/browser.mjs";
import { asMicrophone, babble, wav } from "./lib/wav.mjs";
import { startMock } from "./mock.mjs";

const RATE = 16_000;
const speech = babble(1.6, RATE);
const recording = { name: "question.wav", mimeType: "audio/wav", buffer: wav(speech, RATE) };

describe("browser phone", () => {
  let browser;
  let mock;
  let page;
  before(async () => {
    browser = await openBrowser(asMicrophone({ samples: speech, rate: RATE }, { before: 3, after: 3 }));
  });
  after(() => browser?.close());

  /** Runs one test signed in and on the phone screen. `blocked`: what getUserMedia refuses with. */
  const onPhone = ({ blocked, ...options } = {}, test) => async () => {
    mock = await startMock();
    page = await openPage(browser, mock.url, options);
    if (blocked) {
      await page.addInitScript((name) => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("refused by the test", name));
      }, blocked);
    }
    try {
      await signIn(page, mock.signIn);
      await page.goto(`${mock.url}/#/phone`);
      await page.getByRole("button", { name: "Call", exact: true }).waitFor();
      await test();
      assert.deepEqual(page.trouble, []);
    } catch (error) {
      await shot(page, "failed").catch(() => undefined);
      throw error;
    } finally {
      await page.context().close();
      await mock.close();
    }
  };

  const call = () => page.getByRole("button", { name: "Call", exact: true }).click();
  const captions = () => page.getByRole("region", { name: "Caption text" });
  const line = () => until("the line to open", () => mock.phone?.call && mock.phone);
  const level = (name) => page.getByRole("meter", { name: `Level: ${name}` }).getAttribute("aria-valuenow").then(Number);

  it("holds a conversation by microphone", onPhone({}, async () => {
    await call();
    await page.getByRole("heading", { name: "In a call" }).and(page.locator(":focus")).waitFor();
    const peer = await line();
    await until("the agent to be audible", async () => (await level("Agent")) > 20);
    await captions().getByText("How can I help?").waitFor();
    await captions().locator("[data-interim=true]").waitFor();
    await captions().getByText("The street light on Oak Street is out again.", { exact: true }).first().waitFor();
    await captions().getByText("I can take that down.").waitFor();
    await page.locator('[data-waterfall="1"]').waitFor();
    await shot(page, "in-call-dark-desk");
    await assertAccessible(page, "in a call");
    assert.deepEqual(peer.seen.slice(0, 2).map((m) => m.event), ["connected", "start"]);
    assert.equal(peer.seen[1].start.mediaFormat.encoding, "audio/x-mulaw");
    assert.ok(peer.peak > 0.05, `voice arrived, at ${peer.peak}`);
    await page.getByRole("button", { name: "Hang up" }).click();
    await page.getByRole("heading", { name: "Call ended" }).and(page.locator(":focus")).waitFor();
    await until("stop and close", () => peer.stopped && peer.closed);
    await page.getByRole("link", { name: "See the whole call" }).click();
    await page.locator('[data-state=ended][aria-current=true]').waitFor();
    await page.getByText("Caller hung up").first().waitFor();
  }));

  it("sends a frame every 20 ms, numbered as a carrier numbers them", onPhone({}, async () => {
    await call();
    const peer = await line();
    await until("a hundred frames", () => peer.media >= 100);
    const began = Date.now();
    const from = peer.media;
    await until("two hundred more", () => peer.media >= from + 200);
    const each = (Date.now() - began) / (peer.media - from);
    assert.ok(each > 17 && each < 23, `a frame every ${each.toFixed(1)} ms`);
    const { media, sequenceNumber } = peer.lastMedia;
    assert.equal(Buffer.from(media.payload, "base64").length, 160);
    assert.equal(Number(media.timestamp), (Number(media.chunk) - 1) * 20);
    assert.ok(Number(sequenceNumber) > Number(media.chunk));
  }));

  it("echoes marks only after the audio before them, and all of them at a clear", onPhone({}, async () => {
    await page.getByRole("radio", { name: /Recording/ }).check({ force: true });
    await page.getByLabel("Choose a WAV file").setInputFiles(recording);
    await call();
    const peer = await line();
    const greeted = await until("the greeting's mark", () => peer.marks.find((m) => m.name === "turn-0-end"));
    // Six words of twelve frames each take 1440 ms to play; a mark that came back sooner was not waited for.
    assert.ok(greeted.afterMs >= 1350, `mark after ${greeted.afterMs} ms`);
    await captions().getByText("I can take that down.").waitFor();
    await page.getByRole("button", { name: "Speak again" }).click();
    await until("an interruption", () => peer.marks.some((m) => m.name.endsWith("-cut")));
    const cut = peer.marks.find((m) => m.name.endsWith("-cut"));
    assert.ok(cut.sinceClearMs < 250, `cleared mark after ${cut.sinceClearMs} ms`);
    await captions().locator("s").first().waitFor();
  }));

  it("speaks a recording where there is no microphone, after the greeting", onPhone({ blocked: "NotFoundError" }, async () => {
    await page.getByRole("radio", { name: /Recording/ }).check({ force: true });
    await call();
    await page.getByText("Choose the recording first.").waitFor();
    await page.getByLabel("Choose a WAV file").setInputFiles(recording);
    await call();
    await page.locator("[data-recording=speaking]").waitFor();
    assert.ok(mock.phone.marks.some((m) => m.name === "turn-0-end"), "the greeting was let finish");
    await captions().getByText("The street light on Oak Street is out again.", { exact: true }).waitFor();
    await page.locator("[data-recording=done]").waitFor();
    await captions().getByText("I can take that down.").waitFor();
    await until("the answer to end", () => mock.phone.marks.some((m) => m.name === "turn-1-end"));
    await assertAccessible(page, "recording");
    await shot(page, "in-call-recording");
    await page.getByRole("button", { name: "Speak again" }).click();
    await captions().getByText("Thank you. The road crew has it").waitFor();
  }));

  it("mutes, keys digits, and hangs up, all by keyboard", onPhone({}, async () => {
    await page.getByRole("button", { name: "Call", exact: true }).focus();
    await page.keyboard.press("Enter");
    const peer = await line();
    await page.getByRole("heading", { name: "In a call" }).waitFor();
    for (const key of ["4", "2", "#", "*"]) await page.keyboard.press(key);
    await until("the digits", () => peer.digits === "42#*");
    await page.getByText("Sent: Star").waitFor();
    await page.keyboard.press("m");
    await page.getByRole("button", { name: "Muted" }).waitFor();
    peer.peak = 0;
    const from = peer.media;
    await until("silence to be sent", () => peer.media > from + 250);
    assert.ok(peer.peak < 0.01, "silence while muted");
    await page.getByRole("button", { name: "7", exact: true }).press("Enter");
    await until("the key by Enter", () => peer.digits === "42#*7");
    await page.keyboard.press("h");
    await page.getByRole("heading", { name: "Call ended" }).waitFor();
  }));

  it("goes on while other screens are looked at, and says so there", onPhone({}, async () => {
    await call();
    await page.getByRole("heading", { name: "In a call" }).waitFor();
    await page.keyboard.press("c");
    const bar = page.getByRole("complementary", { name: "Your call" });
    await bar.waitFor();
    await assertAccessible(page, "on a call elsewhere");
    await bar.getByRole("button", { name: "Hang up" }).click();
    await bar.waitFor({ state: "detached" });
    await until("the stop", () => mock.phone.stopped);
  }));

  it("ends when the gateway hangs up", onPhone({}, async () => {
    await call();
    (await line()).call.onHangUp();
    await page.getByRole("heading", { name: "Call ended" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  }));

  for (const [what, setUp, words] of [
    ["a blocked microphone", { blocked: "NotAllowedError" }, "The microphone is blocked."],
    ["no microphone", { blocked: "NotFoundError" }, "No microphone was found."],
    ["a full gateway", { refuse: "busy" }, "All lines are busy."],
    ["a socket that is refused", { refuse: "socket" }, "The voice connection was refused."],
    ["a permit that is refused", { refuse: "policy" }, "The gateway refused the call."],
  ]) {
    it(`explains ${what}`, onPhone({ blocked: setUp.blocked }, async () => {
      mock.refuse = setUp.refuse ?? null;
      await call();
      await page.getByRole("alert").getByText(words).waitFor();
      await assertAccessible(page, what);
      if (setUp.blocked === "NotAllowedError") await shot(page, "microphone-blocked");
      // The browser reports a refused socket as an error of its own; that one is expected.
      page.trouble = page.trouble.filter((t) => !t.includes("WebSocket connection"));
    }));
  }

  for (const theme of ["dark", "light"]) {
    it(`fits a phone-sized screen in a call, ${theme}`, onPhone({ theme, viewport: PHONE_SIZE }, async () => {
      await call();
      await captions().getByText("How can I help?").waitFor();
      await page.getByRole("button", { name: "Hang up" }).waitFor();
      await shot(page, `in-call-${theme}-phone`);
      await assertAccessible(page, "in a call, phone size");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    }));
  }
});
