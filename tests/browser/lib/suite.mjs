// Tests of the console against the mock gateway: one browser for all, a gateway and a page of its own for each.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { startMock } from "../mock.mjs";
import { assertAccessible } from "./axe.mjs";
import { openBrowser, openPage, shot, signIn } from "./browser.mjs";

const DESK = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 780 };
const THEMES = ["dark", "light"];

/** `define` gets `test(title, options, body)`; a body gets the page, signed in, and the mock that it talks to. */
export function consoleSuite(name, define) {
  describe(name, () => {
    let browser;
    before(async () => {
      browser = await openBrowser(null);
    });
    after(() => browser?.close());
    const test = (title, { prepare, ...options }, body) =>
      it(title, async () => {
        const mock = await startMock();
        const page = await openPage(browser, mock.url, options);
        try {
          const made = await prepare?.(mock);
          await signIn(page, mock.signIn);
          await body({ page, mock, made });
          assert.deepEqual(page.trouble, []);
        } catch (error) {
          await shot(page, "failed").catch(() => undefined);
          throw error;
        } finally {
          await page.context().close();
          await mock.close();
        }
      });
    define(test);
  });
}

/** One test for each width: the page as it stands must be accessible and fit in both themes, and is kept as a picture of each. */
export function everyLook(test, title, options, body) {
  for (const [size, viewport] of [["desk", DESK], ["narrow", NARROW]]) {
    test(`${title}, ${size}`, { ...options, viewport }, async (context) => {
      await body({ ...context, look: (name) => bothThemes(context.page, (theme) => `${name}-${theme}-${size}`) });
    });
  }
}

/** The page as it stands, in both themes, the one that it has last. The colors are all that a theme changes, so it is not made anew for each. */
export async function bothThemes(page, named) {
  const own = await page.evaluate(() => document.documentElement.dataset.theme);
  assert.ok(THEMES.includes(own), `the page has a theme, not ${own}`);
  for (const theme of [...THEMES.filter((other) => other !== own), own]) {
    await page.evaluate((value) => (document.documentElement.dataset.theme = value), theme);
    await look(page, named(theme));
  }
}

async function look(page, name) {
  // The change of the colors is a transition; contrast is judged at rest.
  await page.waitForFunction(() => document.getAnimations().every((a) => a.effect?.getComputedTiming().iterations === Infinity || a.playState === "finished"));
  await shot(page, name);
  await assertAccessible(page, name);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0, `${name} must not scroll sideways`);
}
