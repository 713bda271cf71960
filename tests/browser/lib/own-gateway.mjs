// A real gateway of a test's own. Without `speech` no model is loaded: speech is elsewhere, and nobody calls.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { until } from "./browser.mjs";

export const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

const ELSEWHERE = 'stt = ["deepgram"]\nllm = ["anthropic"]\ntts = ["elevenlabs"]\n';
const KEYS = ["DEEPGRAM_API_KEY", "ANTHROPIC_API_KEY", "ELEVENLABS_API_KEY"];
/** What a gateway of the caller's own may have in the environment, and none of these may have. */
const OTHERS = ["TWILIO_AUTH_TOKEN", "PUBLIC_URL", "DATABASE_URL", "DATABASE_MIGRATION_URL", "ADMIN_TOKEN"];

/** Runs a program to its end, or until it is stopped. `ended` gives its exit status, `text` all that it printed. */
export function program(file, words, env) {
  const running = spawn(file, words, { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [running.stdout, running.stderr]) stream.on("data", (more) => (text += more));
  const ended = new Promise((done) => {
    running.once("error", (error) => done(error.message));
    running.once("exit", (status, signal) => done(status ?? signal));
  });
  return { text: () => text, stop: (signal) => running.kill(signal), ended };
}

/**
 * Starts QUANDURA_BINARY at `url`. `settings` is TOML beside what every such gateway has; `more` goes to its environment.
 * `speech`: the folder of the models, and one of phrases that the same build rendered.
 */
export async function startGateway(url, settings = "", more = {}, speech = null) {
  const binary = process.env.QUANDURA_BINARY;
  assert.ok(binary, "set QUANDURA_BINARY");
  const data = await mkdtemp(join(tmpdir(), "quandura-own-"));
  const file = join(data, "quandura.toml");
  await writeFile(file, `${speech ? "" : ELSEWHERE}${settings}`);
  const env = { ...process.env };
  for (const name of [...OTHERS, ...KEYS]) delete env[name];
  if (!speech) for (const name of KEYS) env[name] = "a-key-of-this-test";
  Object.assign(env, more, { BIND: new URL(url).host, DATA_DIR: data, MODELS_DIR: speech?.models ?? data });
  if (speech) await cp(speech.phrases, join(data, "phrases"), { recursive: true });
  let running;
  /** Until it answers; what it printed of a link to sign in. */
  const serve = async () => {
    running = program(binary, ["serve", "--config", file], env);
    try {
      const link = await until("the gateway's sign-in link", () => /http\S*\/sign-in\?token=\w+/.exec(running.text())?.[0], 120_000);
      await until("the gateway", () => fetch(`${url}${speech ? "/ready" : "/sign-in/ways"}`).then((answer) => answer.ok, () => false), 90_000);
      return link;
    } catch (error) {
      error.message += `\n${running.text().slice(-2_000)}`;
      throw error;
    }
  };
  const end = async (signal) => {
    running.stop(signal);
    await running.ended;
  };
  const close = async () => {
    await end();
    await rm(data, { recursive: true, force: true });
  };
  try {
    const link = await serve();
    /** The command line beside it, as its operator has it. */
    const quandura = (...words) => program(binary, words, env);
    /** Without a chance to put anything in order; and the next one on the same data. */
    const kill = () => end("SIGKILL");
    return { close, data, link, log: () => running.text(), quandura, kill, again: serve };
  } catch (error) {
    await close();
    throw error;
  }
}
