import assert from "node:assert/strict";
import { chmod, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { FaultError } from "../../core/faults.ts";
import { hold, newSession, say, startTurn } from "../suite/world.suite.ts";
import { requireSqlite } from "./file.ts";
import { ask, assertSound, home } from "./home.suite.ts";
import { openSqliteStore } from "./open.ts";

const storage = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof FaultError, String(error));
  assert.equal(error.fault.code, "storage");
  assert.match(error.fault.message, pattern);
  assert.notEqual(error.fault.next, "");
  return true;
};

describe("the database file", () => {
  test("nobody else may read it, whatever the umask and whatever it was before", async () => {
    await using fixture = await home();
    const umask = process.umask(0);
    try {
      await using store = await openSqliteStore(fixture.path);
      await startTurn(store);
      const files = await readdir(fixture.folder);
      assert.deepEqual(files.toSorted(), ["talaria.db", "talaria.db-shm", "talaria.db-wal"]);
      for (const file of files)
        assert.equal((await stat(join(fixture.folder, file))).mode & 0o777, 0o600, file);
    } finally {
      process.umask(umask);
    }
    await chmod(fixture.path, 0o644);
    await (await openSqliteStore(fixture.path))[Symbol.asyncDispose]();
    assert.equal((await stat(fixture.path)).mode & 0o777, 0o600);
  });

  test("it is a write-ahead log with full sync, and foreign keys hold", async () => {
    await using fixture = await home();
    const said: string[] = [];
    await using store = await openSqliteStore(fixture.path, { onStatement: (sql) => void said.push(sql) });
    assert.equal(ask(fixture.path, "pragma journal_mode")[0]?.["journal_mode"], "wal");
    assert.ok(said.includes("pragma synchronous = full"));
    const lease = await hold(store, newSession().id);
    await assert.rejects(store.bindings.save(lease, "codex", "/", "x"), /FOREIGN KEY/);
  });

  test("words of a deleted session are not left in the search index", async () => {
    await using fixture = await home();
    await using store = await openSqliteStore(fixture.path);
    const { session } = await startTurn(store, "the xylophonist sleeps");
    await startTurn(store, "somebody else");
    const has = (index: string): boolean =>
      ask(fixture.path, `select block from ${index}_data`).some(({ block }) =>
        Buffer.from(block as Uint8Array)
          .toString("latin1")
          .includes(index === "message_words" ? "xylophonist" : "xyl"),
      );
    const indexes = ["message_words", "message_trigrams"];
    assert.deepEqual(indexes.map(has), [true, true]);
    await store.sessions.delete(session);
    assert.deepEqual(indexes.map(has), [false, false]);
    assertSound(fixture.path);
  });

  test("a file of a newer Talaria is refused and left as it is", async () => {
    await using fixture = await home();
    await (await openSqliteStore(fixture.path))[Symbol.asyncDispose]();
    ask(fixture.path, "pragma user_version = 99");
    const before = await readFile(fixture.path);
    await assert.rejects(openSqliteStore(fixture.path), storage(/newer Talaria .*99/));
    assert.deepEqual(await readFile(fixture.path), before);
    assert.deepEqual(await readdir(fixture.folder), ["talaria.db"], "and it is closed again");
  });

  test("another program's database is refused and left as it is", async () => {
    await using fixture = await home();
    ask(fixture.path, "create table theirs (x)");
    const before = await readFile(fixture.path);
    await assert.rejects(openSqliteStore(fixture.path), storage(/another program/));
    assert.deepEqual(await readFile(fixture.path), before);
  });

  test("what is no database is refused and left as it is", async () => {
    await using fixture = await home();
    const before = "not a database at all, but longer than a header ".repeat(50);
    await writeFile(fixture.path, before);
    await assert.rejects(openSqliteStore(fixture.path), storage(/not a sound database/));
    assert.equal(await readFile(fixture.path, "utf8"), before);
  });

  test("a place that cannot be opened is named, with what to do", async () => {
    await using fixture = await home();
    await assert.rejects(
      openSqliteStore(join(fixture.folder, "missing", "talaria.db")),
      storage(/missing.talaria\.db/),
    );
    await mkdir(fixture.path);
    await assert.rejects(openSqliteStore(fixture.path), storage(/talaria\.db/));
  });

  test("an SQLite that can damage a shared file is refused", () => {
    for (const bad of ["3.51.2", "3.7.0", "2.9.9"]) assert.throws(() => requireSqlite(bad), FaultError, bad);
    for (const good of ["3.51.3", "3.52.0", "4.0.0"]) requireSqlite(good);
  });

  test("messages cannot be changed, and go only with their session", async () => {
    await using fixture = await home();
    await using store = await openSqliteStore(fixture.path);
    const turn = await startTurn(store, "unforgettable secret phrase");
    await say(store, turn, "answer");
    const db = new DatabaseSync(fixture.path);
    try {
      assert.throws(() => db.exec("update message set content = 'x'"), /append-only/);
      assert.throws(() => db.exec("update message set at = 1"), /append-only/);
      assert.throws(() => db.exec("delete from message"), /only with their session/);
      assert.throws(() => db.exec("delete from turn"), /only with their session/);
    } finally {
      db.close();
    }
    assert.equal((await store.sessions.messages(turn.session)).length, 2);
    await store.sessions.delete(turn.session);
    assert.deepEqual(ask(fixture.path, "select * from message"), []);
  });

  test("a deleted message is gone from the bytes of the file", async () => {
    await using fixture = await home();
    const turn = await (async () => {
      await using store = await openSqliteStore(fixture.path);
      await startTurn(store, "something else that stays");
      return await startTurn(store, "unforgettable secret phrase");
    })();
    assert.ok((await readFile(fixture.path)).includes("unforgettable secret phrase"));
    {
      await using store = await openSqliteStore(fixture.path);
      await store.sessions.delete(turn.session);
    }
    assert.equal((await readFile(fixture.path)).includes("unforgettable secret phrase"), false);
    assertSound(fixture.path);
  });

  test("after much writing and deleting the file is sound and the indexes fit", async () => {
    await using fixture = await home();
    {
      await using store = await openSqliteStore(fixture.path);
      for (let n = 0; n < 8; n++) {
        const turn = await startTurn(store, `words ${n} 検索`);
        await say(store, turn, "one", "two", `three ${"x".repeat(n * 1000)}`);
        if (n % 2 === 0) await store.sessions.delete(turn.session);
      }
    }
    assertSound(fixture.path);
  });
});
