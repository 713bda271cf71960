// One browser per test file, with a WAV file for a microphone.

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

export const SHOTS = fileURLToPath(new URL("../../../target/screenshots/", import.meta.url));
export const PHONE_SIZE = { width: 390, height: 844 };
export const DESK_SIZE = { width: 1440, height: 900 };

/** Path of Debian's Chromium unless the environment names another. */
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** `microphone`: a WAV file's bytes. Null: the browser asks, and the test decides what the answer is. */
export async function openBrowser(microphone) {
  // Thrown, not skipped: a test that cannot run has not passed.
  if (!existsSync(executablePath)) throw new Error(`no browser at ${executablePath}; set CHROMIUM`);
  const folder = await mkdtemp(join(tmpdir(), "quandura-browser-"));
  const file = join(folder, "microphone.wav");
  if (microphone) await writeFile(file, microphone);
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
      ...(microphone ? [`--use-file-for-fake-audio-capture=${file}`] : []),
    ],
  });
  browser.on("disconnected", () => void rm(folder, { recursive: true, force: true }));
  await mkdir(SHOTS, { recursive: true });
  return browser;
}

/**
 * A page in a context of its own. Collects what must never happen: script errors, and requests to elsewhere.
 * `system`: the theme of an operating system that `page.system(theme)` changes.
 */
export async function openPage(browser, origin, { theme = "dark", viewport = DESK_SIZE, system, ...more } = {}) {
  const context = await browser.newContext({ viewport, ...more });
  await context.addInitScript((value) => localStorage.setItem("quandura.theme", localStorage.getItem("quandura.theme") ?? value), theme);
  if (system) await context.addInitScript(ownSystem, system);
  const page = await context.newPage();
  page.system = (theme) => page.evaluate((value) => window.showSystem(value), theme);
  page.setDefaultTimeout(15_000);
  page.trouble = [];
  page.on("pageerror", (error) => page.trouble.push(`script error: ${error.message}`));
  page.on("console", (message) => {
    // The browser logs refused requests by itself; tests that refuse on purpose would trip over those.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) page.trouble.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) page.trouble.push(`request to elsewhere: ${url}`);
  });
  return page;
}

/**
 * Stands in for what the browser says of the system's theme. Its own emulation tells a page with the next frame that it
 * draws, and a busy browser may draw none for long: what is tested is what the page does once it is told.
 */
function ownSystem(theme) {
  const real = window.matchMedia.bind(window);
  const lists = [];
  let shown = theme;
  window.matchMedia = (query) => {
    const wanted = /^\(prefers-color-scheme: (\w+)\)$/.exec(query)?.[1];
    if (!wanted) return real(query);
    const list = Object.defineProperties(new EventTarget(), { media: { value: query }, matches: { get: () => shown === wanted } });
    lists.push(list);
    return list;
  };
  window.showSystem = (next) => {
    if (next === shown) return;
    shown = next;
    for (const list of lists) list.dispatchEvent(new Event("change"));
  };
}

/** Opens the one-time link and presses its button, as the gateway's page asks. */
export async function signIn(page, link) {
  await page.goto(link);
  await page.getByRole("button").first().click();
  await page.getByRole("banner").waitFor();
}

/** Transitions are shown at their end: a picture taken within one has two tabs lit. */
export const shot = (page, name) => page.screenshot({ path: join(SHOTS, `${name}.png`), animations: "disabled" });

/** What that promise gives, or an error that names what did not come in time. */
export async function within(what, ms, promise) {
  let timer;
  const late = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error(`waited ${ms} ms in vain for: ${what}`)), ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Waits until `check` is true, looking every 50 ms. For what is not on the page. */
export async function until(what, check, ms = 15_000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain for: ${what}`);
    await new Promise((next) => setTimeout(next, 50));
  }
}
