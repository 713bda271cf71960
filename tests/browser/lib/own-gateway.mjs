// A real gateway of a test's own, for what is not about calls. No model is loaded: speech is elsewhere, and nobody calls.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
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

/** Starts QUANDURA_BINARY at `url`. `settings` is TOML beside what every such gateway has; `more` goes to its environment. */
export async function startGateway(url, settings = "", more = {}) {
  const program = process.env.QUANDURA_BINARY;
  assert.ok(program, "set QUANDURA_BINARY");
  const data = await mkdtemp(join(tmpdir(), "quandura-own-"));
  const file = join(data, "quandura.toml");
  await writeFile(file, `stt = ["deepgram"]\nllm = ["anthropic"]\ntts = ["elevenlabs"]\n${settings}`);
  const env = { ...process.env, ...more, BIND: new URL(url).host, DATA_DIR: data, MODELS_DIR: data };
  for (const name of ["DEEPGRAM_API_KEY", "ANTHROPIC_API_KEY", "ELEVENLABS_API_KEY"]) env[name] = "a-key-of-this-test";
  for (const name of ["TWILIO_AUTH_TOKEN", "PUBLIC_URL", "DATABASE_URL"]) delete env[name];
  const running = spawn(program, ["serve", "--config", file], { env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [running.stdout, running.stderr]) stream.on("data", (text) => (log += text));
  const ended = new Promise((done) => running.once("exit", done));
  const close = async () => {
    running.kill();
    await ended;
    await rm(data, { recursive: true, force: true });
  };
  try {
    const link = await until("the gateway's sign-in link", () => /http\S*\/sign-in\?token=\w+/.exec(log)?.[0], 60_000);
    await until("the gateway", () => fetch(`${url}/sign-in/ways`).then((answer) => answer.ok, () => false), 60_000);
    return { close, link, log: () => log };
  } catch (error) {
    await close();
    error.message += `\n${log.slice(-2_000)}`;
    throw error;
  }
}
