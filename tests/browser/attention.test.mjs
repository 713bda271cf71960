// Callers who need a person: seen at the top, heard, and in the title bar, until somebody has looked.

import assert from "node:assert/strict";

import { until } from "./lib/browser.mjs";
import { consoleSuite, everyLook } from "./lib/suite.mjs";
import { exampleCalls } from "./mock/examples.mjs";

/** Counts the tones that the page makes. */
async function countTones(page) {
  await page.addInitScript(() => {
    globalThis.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function counted(...args) {
      globalThis.tones += 1;
      return start.apply(this, args);
    };
  });
  await page.reload();
  await page.locator("[data-feed=live]").waitFor();
  return () => page.evaluate(() => globalThis.tones);
}
const order = (page) => page.locator("[data-call][data-state=live]").evaluateAll((all) => all.map((row) => row.dataset.call));

consoleSuite("attention", (test) => {
  test("a caller in danger goes to the top with the reason, a sound and a sign in the title, until somebody looks", {}, async ({ page, mock }) => {
    const tones = await countTones(page);
    const calm = mock.calls.start();
    const fire = mock.calls.start();
    await until("both calls in order", async () => (await order(page)).join() === [calm.id, fire.id].join());
    await page.mouse.click(5, 5);
    fire.attention("urgent", "emergency");
    await until("the caller in danger at the top", async () => (await order(page)).join() === [fire.id, calm.id].join());
    await page.locator(`[data-call="${fire.id}"]`).getByText("Tells of an emergency").waitFor();
    await until("the alarm", async () => (await tones()) === 4);
    await until("the sign in the title", async () => (await page.title()).startsWith("⚠ (1) "));
    // On every screen, with the way there.
    await page.goto(`${mock.url}/#/phone`);
    const bar = page.locator("[data-attention=urgent]");
    await bar.getByRole("link", { name: /Tells of an emergency/ }).click();
    await page.locator(`[data-call="${fire.id}"][aria-current=true]`).waitFor();
    await until("the title to be calm", async () => (await page.title()).startsWith("Calls"));
    assert.equal(await page.locator("[data-attention]").count(), 0);
    // Looked at is not over: the row keeps its reason and its place.
    assert.deepEqual(await order(page), [fire.id, calm.id]);
    await page.locator(`[data-call="${fire.id}"]`).getByText("Tells of an emergency").waitFor();
  });

  test("the alarm sounds again while nobody looks", {}, async ({ page, mock }) => {
    const tones = await countTones(page);
    await page.mouse.click(5, 5);
    await page.clock.install();
    mock.calls.start().attention("urgent", "emergency");
    await until("the first alarm", async () => (await tones()) === 4);
    await page.clock.runFor(8_100);
    await until("the second alarm", async () => (await tones()) === 8);
  });

  test("the alarm can be muted, and that is remembered", {}, async ({ page, mock }) => {
    const tones = await countTones(page);
    await page.getByRole("button", { name: "Mute the alarm" }).click();
    mock.calls.start().attention("urgent", "emergency");
    await page.locator("[data-attention=urgent]").waitFor();
    assert.equal(await tones(), 0);
    await page.reload();
    await page.getByRole("button", { name: "Let the alarm sound" }).waitFor();
    assert.equal(await tones(), 0);
  });

  test("somebody upset is one soft tone, and a caller who gets worse asks again", {}, async ({ page, mock }) => {
    const tones = await countTones(page);
    await page.mouse.click(5, 5);
    const call = mock.calls.start();
    call.attention("watch", "distress");
    await page.locator("[data-attention=watch]").waitFor();
    await until("one tone", async () => (await tones()) === 1);
    await page.locator(`[data-call="${call.id}"]`).click();
    await page.locator("[data-attention]").waitFor({ state: "detached" });
    await page.goto(`${mock.url}/#/work`);
    call.attention("urgent", "emergency");
    await page.locator("[data-attention=urgent]").waitFor();
  });

  test("an emergency still asks for somebody when the caller has hung up", {}, async ({ page, mock }) => {
    await page.locator("[data-feed=live]").waitFor();
    const call = mock.calls.start();
    call.attention("urgent", "emergency");
    call.end("caller_hung_up");
    await page.locator(`[data-call="${call.id}"][data-state=ended]`).getByText("Tells of an emergency").waitFor();
    await page.locator("[data-attention=urgent]").waitFor();
  });

  const five = {
    prepare: (mock) => Array.from({ length: 500 }, () => mock.calls.start()),
  };
  test("words reach the screen in time with five hundred calls on the line", five, async ({ page, made }) => {
    await until("all five hundred calls to be listed", async () => (await order(page)).length === 500);
    const times = [];
    for (let n = 0; n < 20; n += 1) {
      const call = made[n * 7];
      const words = `words number ${n}`;
      const seen = page.waitForFunction(
        ([id, text]) => document.querySelector(`[data-call="${id}"]`)?.textContent.includes(text) && performance.timeOrigin + performance.now(),
        [call.id, words],
        { polling: "raf" },
      );
      // The watch must stand before the event comes.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      const sent = Date.now();
      call.interim(1, words);
      times.push((await (await seen).jsonValue()) - sent);
    }
    times.sort((a, b) => a - b);
    console.log(`event to pixel with 500 calls: median ${Math.round(times[9])} ms, p95 ${Math.round(times[18])} ms`);
    assert.ok(times[18] < 150, `p95 of event to pixel is ${times[18]} ms`);
  });

  everyLook(test, "is accessible and fits", { prepare: exampleCalls }, async ({ page, mock, made, look }) => {
    await page.locator("[data-call]").first().waitFor();
    await page.locator("[data-attention=urgent]").waitFor();
    await look("attention");
    await page.goto(`${mock.url}/#/calls/${made.urgent.id}`);
    await page.getByRole("heading", { level: 2, name: /Needs a person now|emergency/ }).waitFor();
    await look("attention-call");
  });
});
