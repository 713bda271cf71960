// A PostgreSQL server of a test's own, on a socket in a temporary folder: Debian's, run by an ordinary user.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { until } from "./browser.mjs";

const run = promisify(execFile);
const DEBIAN = "/usr/lib/postgresql";
/** PostgreSQL refuses to run as root; then this user runs it. */
const NOBODY = 65_534;
const isRoot = process.getuid() === 0;
const ordinary = { cwd: "/", ...(isRoot && { uid: NOBODY, gid: NOBODY }) };

/** Where the programs of the newest server are: Debian keeps them off the path. */
function programs() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const debian = versions.filter((version) => Number(version) >= 15).sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN, version, "bin"));
  const found = [...debian, ...process.env.PATH.split(delimiter)].find((folder) => existsSync(join(folder, "initdb")));
  // Thrown, not skipped: a test that cannot run has not passed.
  assert.ok(found, "PostgreSQL 15 or newer is not installed here, and this test needs it; run: scripts/install.sh test");
  return found;
}

/** `env`: what a gateway is told of it. `sql`: runs statements as the superuser, and gives what they print. */
export async function startPostgres() {
  const bin = programs();
  const folder = await mkdtemp(join(tmpdir(), "quandura-pg-"));
  await chmod(folder, 0o755);
  const [data, socket] = [join(folder, "data"), join(folder, "socket")];
  for (const part of [data, socket]) {
    await mkdir(part, { mode: 0o700 });
    if (isRoot) await chown(part, NOBODY, NOBODY);
  }
  await run(join(bin, "initdb"), ["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8", "--pgdata", data], ordinary);
  await appendFile(join(data, "postgresql.conf"), `listen_addresses = ''\nunix_socket_directories = '${socket}'\nshared_buffers = 64MB\n`);
  // It ends with this process, however that ends: then nobody holds the other end of its standard input any more.
  const script = '"$0" -D "$1" & server=$!; read -r _; kill -INT "$server"; wait "$server"';
  const server = spawn("sh", ["-c", script, join(bin, "postgres"), data], { ...ordinary, stdio: ["pipe", "ignore", "pipe"] });
  let log = "";
  server.stderr.on("data", (text) => (log += text));
  const ended = new Promise((done) => server.once("exit", done));
  const sql = async (statements, database = "postgres") => {
    const words = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--username=postgres", "--host", socket, "--dbname", database];
    const { stdout } = await run(join(bin, "psql"), [...words, "--command", statements]);
    return stdout.trim();
  };
  const close = async () => {
    server.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until("PostgreSQL", () => sql("select 1").then(() => true, () => false), 30_000);
    for (const statement of ["create role quandura_owner login", "create role quandura_app login", "create database quandura owner quandura_owner template template0"]) await sql(statement);
  } catch (error) {
    await close();
    error.message += `\n${log.slice(-2_000)}`;
    throw error;
  }
  const url = (role) => `postgres://${role}@localhost/quandura?host=${socket}`;
  return { env: { DATABASE_URL: url("quandura_app"), DATABASE_MIGRATION_URL: url("quandura_owner") }, sql: (statements) => sql(statements, "quandura"), close };
}
