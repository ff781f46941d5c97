import assert from "node:assert/strict";
import { copyFile, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { startTurn } from "../suite/world.suite.ts";
import { type Health, storeHealth } from "./health.ts";
import { home } from "./home.suite.ts";
import { openSqliteStore } from "./open.ts";
import { migrations } from "./schema.ts";

const look = (path: string, limitMs = 20_000): Promise<Health> =>
  storeHealth(path, { clock: systemClock, signal: new AbortController().signal, limitMs });

test("a store that is not there is none, and stays so", async () => {
  await using fixture = await home();
  assert.deepEqual(await look(fixture.path), { state: "none" });
  assert.deepEqual(await readdir(dirname(fixture.path)), []);
});

test("a sound one is told with its sizes and schema, also while it is open, and is not changed", async () => {
  await using fixture = await home();
  await using store = await openSqliteStore(fixture.path);
  await startTurn(store);
  const before = await readFile(fixture.path);
  const health = await look(fixture.path);
  assert.partialDeepStrictEqual(health, {
    state: "sound",
    schema: migrations.length,
    newest: migrations.length,
    problems: [],
  });
  assert.ok("bytes" in health && health.bytes > 0 && health.logBytes > 0);
  assert.deepEqual(await readFile(fixture.path), before);
});

test("what a killed process left in the log stays there for the next start", async () => {
  await using fixture = await home();
  await using store = await openSqliteStore(fixture.path);
  await startTurn(store);
  const copy = `${fixture.path}.copy.db`;
  for (const end of ["", "-wal"]) await copyFile(`${fixture.path}${end}`, `${copy}${end}`);
  const log = await readFile(`${copy}-wal`);
  assert.partialDeepStrictEqual(await look(copy), { state: "sound", logBytes: log.length });
  assert.deepEqual(await readFile(`${copy}-wal`), log);
});

test("damage is found, another program's file is told, and what cannot be opened says why", async () => {
  await using fixture = await home();
  {
    await using store = await openSqliteStore(fixture.path);
    await startTurn(store);
  }
  const bytes = await readFile(fixture.path);
  bytes.fill(7, 16_384, 65_536);
  await writeFile(fixture.path, bytes);
  const damaged = await look(fixture.path);
  assert.ok(damaged.state === "damaged" || damaged.state === "closed", damaged.state);
  await writeFile(fixture.path, "no database at all, but long enough to be one".repeat(200));
  const closed = await look(fixture.path);
  assert.ok(closed.state === "closed");
  assert.equal(closed.fault.code, "storage");
  assert.match(closed.fault.message, /is not a sound database/);
  await writeFile(fixture.path, "");
  new DatabaseSync(fixture.path).exec("create table mine (x)");
  assert.deepEqual(await look(fixture.path), { state: "foreign" });
});

test("one that takes too long is left unchecked, and the look ends", async () => {
  await using fixture = await home();
  await (await openSqliteStore(fixture.path))[Symbol.asyncDispose]();
  const { state } = await look(fixture.path, 1);
  assert.ok(state === "unchecked" || state === "closed", state);
});
