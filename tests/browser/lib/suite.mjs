// Tests of the console against the mock gateway: one browser for all, a gateway and a page of its own for each.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { startMock } from "../mock.mjs";
import { assertAccessible } from "./axe.mjs";
import { openBrowser, openPage, shot, signIn } from "./browser.mjs";

const DESK = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 780 };

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

/** One test for each theme and width: the page as it stands must be accessible, fit, and is kept as a picture. */
export function everyLook(test, title, options, body) {
  for (const theme of ["dark", "light"]) {
    for (const [size, viewport] of [["desk", DESK], ["narrow", NARROW]]) {
      test(`${title}, ${theme}, ${size}`, { ...options, theme, viewport }, async (context) => {
        await body({ ...context, look: (name) => look(context.page, `${name}-${theme}-${size}`) });
      });
    }
  }
}

async function look(page, name) {
  // Contrast is judged at rest.
  await page.waitForFunction(() => document.getAnimations().every((a) => a.effect?.getComputedTiming().iterations === Infinity || a.playState === "finished"));
  await shot(page, name);
  await assertAccessible(page, name);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0, `${name} must not scroll sideways`);
}
