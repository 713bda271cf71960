// A county's whole office for a test: a real gateway with its embedded engines, on SQLite or PostgreSQL, the carrier that
// places its calls, and callers. Needs, in the environment, and fails without them:
//   QUANDURA_BINARY   the gateway's program
//   QUANDURA_MODELS   the folder of the models
//   QUANDURA_PHRASES  phrases that the same build rendered

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { openBrowser, openPage, shot, until } from "./browser.mjs";
import { startCarrier } from "./carrier.mjs";
import { freePort, startGateway } from "./own-gateway.mjs";
import { startPostgres } from "./postgres.mjs";

const run = promisify(execFile);
// Browsers, callers and two gateways share this machine: that it is busy is no reason to refuse a call.
const SETTINGS = "[limits]\nrefuse_when_strained = false\nmax_calls = 24\n";

/** Every call on record is a week older: nobody waits a week for a test. What was said stays as it is, sealed. */
const WEEK_ON_SQLITE = `
import glob, sqlite3, sys
for file in glob.glob(sys.argv[1] + "/tenants/*.db"):
    with sqlite3.connect(file, timeout=10) as db:
        for column in ("started_at", "ended_at"):
            db.execute(f"update calls set {column} = strftime('%Y-%m-%dT%H:%M:%S', {column}, '-7 days') || substr({column}, 20)")
`;
const WEEK_ON_POSTGRESQL = "update calls set started_at = started_at - interval '7 days', ended_at = ended_at - interval '7 days'";

export const BACK_ENDS = ["SQLite", "PostgreSQL"];

/** `numbers`: who answers when the gateway calls. `name`: what its pictures begin with. `microphone`: the browser's, a WAV file's bytes. */
export async function openOffice(backEnd, numbers, { name = "day", microphone = null, env = {} } = {}) {
  const { QUANDURA_MODELS: models, QUANDURA_PHRASES: phrases } = process.env;
  assert.ok(models && phrases, "set QUANDURA_MODELS and QUANDURA_PHRASES");
  const closing = [];
  const close = async () => {
    for (const end of closing.reverse()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), "quandura-day-"));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    const carrier = await startCarrier(numbers);
    closing.push(carrier.close);
    const postgres = backEnd === "PostgreSQL" ? await startPostgres() : null;
    if (postgres) closing.push(postgres.close);
    const url = `http://127.0.0.1:${await freePort()}`;
    const gateway = await startGateway(url, SETTINGS, { ...carrier.env, PUBLIC_URL: url, ...postgres?.env, ...env }, { models, phrases });
    closing.push(gateway.close);
    const browser = await openBrowser(microphone);
    closing.push(() => browser.close());
    const { quandura } = gateway;

    /** Runs one command to its end; what it printed. */
    const done = async (...words) => {
      const command = quandura(...words);
      assert.equal(await command.ended, 0, `quandura ${words.join(" ")}:\n${command.text()}`);
      return command.text();
    };
    let pictures = 0;
    return {
      url,
      folder,
      gateway,
      carrier,
      browser,
      close,
      done,
      /** A call from words, over the carrier's wire. */
      call: (from, words, ...more) => quandura("call", "--from", from, "--quiet", "1.5", ...words.flatMap((text) => ["--say", text]), ...more),
      /** Recorded calls played again, so many at a time; `stop` hangs them up and gives the figures. */
      replay: (recordings, calls) => {
        const file = join(folder, "replay.json");
        const callers = quandura("replay", recordings, "--calls", String(calls), "--ramp", "5", "--repeat", "50", "--report", file);
        closing.push(async () => void callers.stop("SIGINT"));
        const stop = async () => {
          callers.stop("SIGINT");
          await callers.ended;
          return JSON.parse(await readFile(file, "utf8"));
        };
        return { stop, text: callers.text };
      },
      ageByAWeek: () => (postgres ? postgres.sql(WEEK_ON_POSTGRESQL) : run("python3", ["-c", WEEK_ON_SQLITE, gateway.data])),
      /** A new user, with the link that lets them in once. */
      newPerson: async (login, name, role) => {
        await done("user", "create", "--login", login, "--name", name, "--role", role, ...(role === "platform-admin" ? [] : ["--tenant", "riverbend"]));
        return until(`a link for ${login}`, async () => /http\S+/.exec(await done("user", "link", "--login", login))?.[0]);
      },
      /** A page with more patience than others: a gateway and a dozen callers share the machine. */
      openPage: async () => {
        // What moves is drawn by the processor here.
        const page = await openPage(browser, url, { reducedMotion: "reduce" });
        page.setDefaultTimeout(60_000);
        return page;
      },
      picture: (page, what) => shot(page, `${name}-${backEnd.toLowerCase()}-${String((pictures += 1)).padStart(2, "0")}-${what}`),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
