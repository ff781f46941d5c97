import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { smallDisk } from "../../../test/e2e/maintenance/small-disk.ts";
import { lostRows, oldRows, oldStore, oldVersion } from "../../../test/old-home.ts";
import { FaultError } from "../../core/faults.ts";
import { systemClock } from "../../lib/clock.ts";
import { spawnChild } from "../../lib/process/child.ts";
import { startTimeOf } from "../../lib/process/process-identity.ts";
import { startTurn } from "../suite/world.suite.ts";
import { type Home, ask, assertSound, home, schemaOf } from "./home.suite.ts";
import { openSqliteStore } from "./open.ts";
import { migrations } from "./schema.ts";

/** A program that is newer than any. */
const newer = [
  ...migrations,
  [`ALTER TABLE session ADD COLUMN mood TEXT`],
  [`CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT`, `UPDATE session SET mood = 'calm'`],
];
const older = migrations.slice(0, oldVersion);

const versionOf = (path: string): unknown => ask(path, "pragma user_version")[0]?.["user_version"];
const backupOf = ({ path }: Home, version: number = oldVersion): string => `${path}.v${version}.backup`;
const backupsIn = async ({ folder }: Home): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.includes("backup")).toSorted();

async function openAndClose(path: string, steps = newer): Promise<unknown> {
  await using store = await openSqliteStore(path, { migrations: steps });
  return store.upgraded;
}

const storage = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof FaultError, String(error));
  assert.equal(error.fault.code, "storage");
  assert.match(error.fault.message, pattern);
  return true;
};

describe("a store of an earlier version", () => {
  test("is kept as it was before it is upgraded, for its owner alone, and nothing of it is lost", async () => {
    await using it = await home();
    oldStore(it.path);
    const before = oldRows(it.path);
    const upgraded = await openAndClose(it.path);
    assert.deepEqual(upgraded, { from: oldVersion, to: newer.length, backup: backupOf(it) });
    assert.deepEqual(lostRows(it.path, before), []);
    assert.deepEqual(await backupsIn(it), ["talaria.db.v12.backup"]);
    assert.equal((await stat(backupOf(it))).mode & 0o777, 0o600);
    assert.equal(versionOf(backupOf(it)), oldVersion);
    assert.deepEqual(oldRows(backupOf(it)), before);
    for (const file of [it.path, backupOf(it)]) assertSound(file);
  });

  test("has no backup when it is new, and none is made when nothing is to be changed", async () => {
    await using it = await home();
    assert.equal(await openAndClose(it.path), undefined);
    assert.equal(await openAndClose(it.path), undefined);
    assert.deepEqual(await backupsIn(it), []);
  });

  test("that several open at once is copied and upgraded by one of them", async () => {
    await using it = await home();
    oldStore(it.path);
    const before = oldRows(it.path);
    const found = await Promise.all(Array.from({ length: 6 }, () => openAndClose(it.path)));
    assert.equal(found.filter((one) => one !== undefined).length, 1);
    assert.deepEqual(lostRows(it.path, before), []);
    assert.deepEqual(oldRows(backupOf(it)), before);
  });

  test("is copied with every word that was written while its upgrade had to wait", async () => {
    await using it = await home();
    await using writer = await openSqliteStore(it.path);
    const writes = Array.from({ length: 20 }, () => startTurn(writer));
    await Promise.all([...writes, openAndClose(it.path)]);
    assert.equal(ask(it.path, "select count(*) n from turn")[0]?.["n"], 20);
    assert.equal(versionOf(backupOf(it, migrations.length)), migrations.length);
    assertSound(backupOf(it, migrations.length));
  });

  test("is not upgraded while an earlier version is at work in it", async () => {
    await using it = await home();
    oldStore(it.path);
    await using child = await spawnChild({
      command: "sleep",
      args: ["600"],
      cwd: it.folder,
      env: { PATH: process.env["PATH"] ?? "" },
      kind: "talaria",
      registry: { add: async () => {}, remove: async () => {} },
      clock: systemClock,
    });
    const { pid } = child;
    ask(it.path, `update lease set pid = ${pid}, start_time = '${startTimeOf(pid)}' where pid is not null`);
    await assert.rejects(
      openAndClose(it.path),
      storage(new RegExp(`process ${pid}\\) is at work.*left as it is`)),
    );
    assert.deepEqual([versionOf(it.path), await backupsIn(it)], [oldVersion, []]);
    await child[Symbol.asyncDispose]();
    assert.partialDeepStrictEqual(await openAndClose(it.path), { from: oldVersion });
  });

  test("whose copy was cut off is copied anew", async () => {
    await using it = await home();
    oldStore(it.path);
    const before = oldRows(it.path);
    await writeFile(`${backupOf(it)}.part`, "half of it");
    await openAndClose(it.path);
    assert.deepEqual(await backupsIn(it), ["talaria.db.v12.backup"]);
    assert.deepEqual(oldRows(backupOf(it)), before);
  });

  test("has the backups of the last three upgrades, and the newest of each version", async () => {
    await using it = await home();
    oldStore(it.path);
    await openAndClose(it.path);
    for (const [at, version] of [3, 5, 7].entries()) {
      await copyFile(backupOf(it), backupOf(it, version));
      await utimes(backupOf(it, version), at, at);
    }
    ask(it.path, `pragma user_version = ${newer.length - 1}`);
    ask(it.path, "drop table extra");
    await openAndClose(it.path);
    const last = `talaria.db.v${newer.length - 1}.backup`;
    assert.deepEqual(await backupsIn(it), ["talaria.db.v12.backup", "talaria.db.v7.backup", last].toSorted());
  });

  test("is left as it is when there is no space for the backup, which says how much it needs", async (t) => {
    const disk = await smallDisk();
    if (typeof disk === "string") return t.skip(disk);
    await using _ = disk;
    const it = { folder: disk.folder, path: join(disk.folder, "talaria.db") } as Home;
    oldStore(it.path);
    const before = oldRows(it.path);
    disk.fill(200_000);
    await assert.rejects(
      openAndClose(it.path),
      storage(
        /no space left for the backup .* needs 0\.\d MiB, and 0\.\d MiB are free\. It was left as it is\./,
      ),
    );
    assert.deepEqual([versionOf(it.path), await backupsIn(it)], [oldVersion, []]);
    assert.deepEqual(oldRows(it.path), before);
    await disk.free();
    await openAndClose(it.path);
    assert.deepEqual(lostRows(it.path, before), []);
  });

  test("is left as it is when the backup cannot be written", async () => {
    await using it = await home();
    oldStore(it.path);
    const before = schemaOf(it.path);
    await mkdir(join(`${backupOf(it)}`, "in the way"), { recursive: true });
    await assert.rejects(
      openAndClose(it.path),
      storage(/backup .* could not be written\. .* The store was left as it is\./),
    );
    assert.deepEqual([versionOf(it.path), schemaOf(it.path)], [oldVersion, before]);
    assert.equal(existsSync(`${backupOf(it)}.part`), false);
  });
});

describe("an older program", () => {
  test("refuses a newer store, names both versions and the backup that it can open, and changes nothing", async () => {
    await using it = await home();
    oldStore(it.path);
    await openAndClose(it.path);
    const bytes = await readFile(it.path);
    const expected = new RegExp(
      `newer Talaria \\(its schema is ${newer.length}, this one knows up to 12\\)\\. It was left as it is\\. As it was before that, it is kept in \\S+\\.v12\\.backup\\.$`,
    );
    await assert.rejects(openAndClose(it.path, older), storage(expected));
    assert.deepEqual(await readFile(it.path), bytes);
    await assert.rejects(
      openAndClose(it.path, migrations.slice(0, 11)),
      storage(/knows up to 11\)\. It was left as it is\.$/),
    );
  });

  test("goes on from the backup, once it is put in the place of the store", async () => {
    await using it = await home();
    oldStore(it.path);
    const before = oldRows(it.path);
    await openAndClose(it.path);
    await copyFile(backupOf(it), it.path);
    assert.equal(await openAndClose(it.path, older), undefined);
    assert.deepEqual(oldRows(it.path), before);
  });
});
