import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { FaultError } from "../../core/faults.ts";
import { systemClock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { admission, everything, newSession, say, startTurn, text } from "../suite/world.suite.ts";
import { storageFault } from "./faults.ts";
import { assertSound, home } from "./home.suite.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";

const sqliteError = (errcode: number): Error => Object.assign(new Error("injected"), { errcode });

describe("trouble with the medium", () => {
  const troubles: readonly [name: string, error: Error, said: RegExp, next: RegExp][] = [
    [
      "a full disk",
      sqliteError(13),
      /no space left to write \/x\/talaria\.db/,
      /Free space on the disk that holds \/x, then/,
    ],
    [
      "a full disk seen by the system",
      Object.assign(new Error("e"), { code: "ENOSPC" }),
      /no space/,
      /Free space/,
    ],
    ["an I/O error", sqliteError(10 | (4 << 8)), /writing \/x\/talaria\.db failed/, /Check the disk/],
    ["a read-only file", sqliteError(8), /cannot be opened or written/, /writable/],
    ["a file that cannot be opened", sqliteError(14), /cannot be opened/, /readable and writable/],
    [
      "a missing permission",
      Object.assign(new Error("e"), { code: "EACCES" }),
      /cannot be opened/,
      /readable/,
    ],
    ["a damaged file", sqliteError(11), /not a sound database/, /backup/],
    ["no database", sqliteError(26), /not a sound database/, /backup/],
    ["a lock", sqliteError(5), /locked/, /End that program/],
  ];
  for (const [name, error, said, next] of troubles) {
    test(`${name} is said with the file and with what to do`, () => {
      const fault = storageFault("/x/talaria.db", error);
      assert.equal(fault?.code, "storage");
      assert.match(fault.message, said);
      assert.match(fault.next, next);
    });
  }

  test("a mistake of ours is not blamed on the disk", () => {
    for (const error of [sqliteError(1), sqliteError(19), new Error("x"), "x", undefined]) {
      assert.equal(storageFault("/x", error), undefined);
    }
  });

  test("a failed commit is undone, whatever the error, and the next one works", async () => {
    await using fixture = await home();
    let trouble: Error | undefined;
    const onStatement = (sql: string, when: "before" | "after"): void => {
      if (trouble && sql === "commit" && when === "before") throw trouble;
    };
    await using store = await openTestStore(fixture.path, { onStatement });
    for (const code of [13, 10, 8, 14]) {
      trouble = sqliteError(code);
      const before = await everything(store);
      await assert.rejects(store.meta.set("note", String(code)), FaultError);
      trouble = undefined;
      assert.deepEqual(await everything(store), before);
      await store.meta.set("note", String(code));
      assert.equal(await store.meta.get("note"), String(code));
    }
  });

  test("an error that comes with or after begin, or with rollback, leaves no transaction open", async () => {
    await using fixture = await home();
    let failing: readonly string[] = [];
    const onStatement = (sql: string, when: "before" | "after"): void => {
      if (failing.includes(`${when} ${sql.split(" ")[0]}`)) throw new Error("injected");
    };
    await using store = await openTestStore(fixture.path, { onStatement });
    for (const points of [
      ["before begin"],
      ["after begin"],
      ["before insert", "before rollback"],
      ["after insert", "after rollback"],
    ]) {
      failing = points;
      await assert.rejects(store.meta.set("k", "v"), /injected/);
      failing = [];
      assert.equal(await store.meta.get("k"), undefined, points.join());
    }
    await store.meta.set("k", "v");
    assert.equal(await store.meta.get("k"), "v");
  });

  test("after an I/O error the file is opened anew, after a full disk it is not", async () => {
    await using fixture = await home();
    const said: string[] = [];
    let trouble: Error | undefined;
    const onStatement = (sql: string, when: "before" | "after"): void => {
      if (when === "before") said.push(sql);
      if (trouble && when === "before" && sql.startsWith("insert")) throw trouble;
    };
    await using store = await openTestStore(fixture.path, { onStatement });
    const openings = async (code: number): Promise<number> => {
      trouble = sqliteError(code);
      said.length = 0;
      await assert.rejects(store.meta.set("k", "v"), FaultError);
      trouble = undefined;
      await store.meta.set("k", "v");
      return said.filter((sql) => sql === "pragma journal_mode = wal").length;
    };
    assert.equal(await openings(13), 0);
    assert.equal(await openings(10), 1);
    assert.equal(await openings(10), 1);
  });
});

describe("a disk that is really full", () => {
  test("takes nothing, can be read, and works again when there is space", async (t) => {
    await using fixture = await home();
    const disk = join(fixture.folder, "disk");
    await using mounted = await smallDisk(disk, t);
    if (mounted === undefined) return;
    const path = join(disk, "talaria.db");
    {
      await using store = await openTestStore(path);
      const turn = await startTurn(store, "before");
      for (let round = 0; round < 3; round++) {
        await writeFile(join(disk, "ballast"), new Uint8Array(8 << 20)).catch(() => {});
        const before = await everything(store);
        const large = admission(newSession(), { input: text("x".repeat(200_000)) });
        await assert.rejects(store.inbox.admit(large), (error: unknown) => {
          assert.ok(error instanceof FaultError, String(error));
          assert.equal(error.fault.code, "storage");
          assert.match(error.fault.message, /no space left/);
          assert.match(error.fault.next, /Free space on the disk that holds .*disk, then send it again/);
          return true;
        });
        await assert.rejects(say(store, turn, "x".repeat(200_000)), FaultError);
        assert.deepEqual(await everything(store), before, "all can be read, and nothing is new");
        await rm(join(disk, "ballast"));
        await store.inbox.admit(large);
        await say(store, turn, `after ${round}`);
      }
      assert.equal((await store.sessions.messages(turn.session)).length, 4);
    }
    assertSound(path);
  });
});

/** Eight mebibytes of memory as a disk. `undefined`: this system does not let us, and the test is skipped. */
async function smallDisk(folder: string, t: TestContext): Promise<AsyncDisposable | undefined> {
  await mkdir(folder);
  const mounted = await run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder).catch(() => false);
  if (!mounted) {
    t.skip("a small tmpfs cannot be mounted here; run as root to test a full disk");
    return undefined;
  }
  return {
    async [Symbol.asyncDispose]() {
      await run("umount", folder);
    },
  };
}

async function run(command: string, ...args: readonly string[]): Promise<boolean> {
  const env = { PATH: process.env["PATH"] ?? "" };
  const signal = AbortSignal.timeout(10_000);
  const { code } = await runCommand({ command, args, cwd: "/", env, clock: systemClock, signal });
  return code === 0;
}
