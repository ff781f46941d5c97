import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { FaultError } from "../../core/faults.ts";
import type { Clock } from "../../lib/clock.ts";
import { systemClock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { startTurn } from "../suite/world.suite.ts";
import { assertSound, home } from "./home.suite.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";

/** Time passes at once; `during` sees each pause. */
function instantClock(during: (paused: number) => void): Clock {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    async sleep(ms) {
      now += ms;
      during(now);
    },
  };
}

describe("a database that somebody else has locked", () => {
  test("is waited for, without stopping this process", async () => {
    await using fixture = await home();
    const other = new DatabaseSync(fixture.path);
    let pauses = 0;
    const clock = instantClock(() => {
      pauses += 1;
      if (pauses === 5) other.exec("commit");
    });
    {
      await using store = await openTestStore(fixture.path, { clock });
      other.exec("begin immediate");
      await store.meta.set("k", "v");
      assert.equal(pauses, 5);
      assert.equal(await store.meta.get("k"), "v");
    }
    other.close();
  });

  test("can be read meanwhile", async () => {
    await using fixture = await home();
    await using store = await openTestStore(fixture.path);
    await store.meta.set("k", "v");
    const other = new DatabaseSync(fixture.path);
    other.exec("begin immediate");
    assert.equal(await store.meta.get("k"), "v");
    other.close();
  });

  // The limit is met only if no single attempt waits inside SQLite, which would stop the process.
  test(
    "is given up after twenty seconds, with nothing written, and works again later",
    { timeout: 15_000 },
    async () => {
      await using fixture = await home();
      let waited = 0;
      const clock = instantClock((now) => (waited = now));
      await using store = await openTestStore(fixture.path, { clock });
      const other = new DatabaseSync(fixture.path);
      other.exec("begin immediate");
      await assert.rejects(store.meta.set("k", "v"), (error: unknown) => {
        assert.ok(error instanceof FaultError && error.cause instanceof Error);
        assert.equal(error.fault.code, "storage");
        assert.match(error.fault.message, /Another program keeps .*talaria\.db locked/);
        return true;
      });
      assert.ok(waited >= 20_000 && waited < 21_000, String(waited));
      other.exec("rollback");
      other.close();
      assert.equal(await store.meta.get("k"), undefined);
      await store.meta.set("k", "v");
      assert.equal(await store.meta.get("k"), "v");
    },
  );

  test("by another store of this process is not waited for in time, but in line", async () => {
    await using fixture = await home();
    const clock = instantClock(() => assert.fail("nobody may have to wait"));
    await using one = await openTestStore(fixture.path, { clock });
    await using two = await openTestStore(fixture.path, { clock });
    await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? one : two).meta.set(`k${n}`, "v")));
    assert.equal(await one.meta.get("k0"), "v");
    assert.equal(await two.meta.get("k39"), "v");
  });
});

describe("several processes", () => {
  test("create one file and write to it at once, each sees the others, nothing is lost or doubled", async () => {
    await using fixture = await home();
    const program = `
      import { openSqliteStore } from ${JSON.stringify(import.meta.resolve("./open.ts"))};
      const [path, name] = process.argv.slice(1);
      const store = await openSqliteStore(path);
      const fresh = [];
      for (let n = 0; n < 50; n++) {
        const key = { surface: "chat", account: "", chat: "", messageId: String(n) };
        const session = { id: "ses_shared", cwd: "/", surface: "chat", audience: "owner" };
        const from = { surface: "chat", id: "ann", role: "owner", local: false };
        const input = [{ type: "text", text: "hello" }];
        const admitted = await store.inbox.admit({ id: \`inb_\${name}_\${n}\`, key, from, session, input, at: n });
        if (admitted.fresh) fresh.push(n);
      }
      await store[Symbol.asyncDispose]();
      console.log(JSON.stringify(fresh));
    `;
    const run = async (name: string): Promise<number[]> => {
      const { code, stdout, stderr } = await runCommand({
        command: process.execPath,
        args: ["--input-type=module", "-e", program, fixture.path, name],
        cwd: fixture.folder,
        env: {},
        clock: systemClock,
        signal: AbortSignal.timeout(60_000),
      });
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout) as number[];
    };
    const fresh = (await Promise.all(["a", "b", "c"].map(run))).flat();
    assert.deepEqual(
      fresh.toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, n) => n),
    );
    await using store = await openTestStore(fixture.path);
    assert.equal((await store.inbox.inState("waiting")).length, 50);
    assert.equal((await store.sessions.list({ limit: 5 })).length, 1);
    assertSound(fixture.path);
  });

  test("read what the others have just written", async () => {
    await using fixture = await home();
    await using one = await openTestStore(fixture.path);
    await using two = await openTestStore(fixture.path);
    for (let n = 0; n < 5; n++) {
      const { session } = await startTurn(one);
      assert.equal((await two.sessions.messages(session)).length, 1);
    }
  });
});
