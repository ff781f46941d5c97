import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import { approval, grant } from "../suite/asking-world.suite.ts";
import { owner, startTurn } from "../suite/world.suite.ts";
import { applicationId } from "./file.ts";
import { type Home, ask, assertSound, home, schemaOf } from "./home.suite.ts";
import { openSqliteStore } from "./open.ts";
import { migrations } from "./schema.ts";

describe("a first start that is cut off", () => {
  test("by a kill at any statement leaves a file that the next start completes", async () => {
    await using place = await home();
    const copies: string[] = [];
    // What a kill would leave at this moment: the files as they are, seen from outside.
    const onStatement = (sql: string, when: "before" | "after"): void => {
      if (when === "after" && sql !== "commit") return;
      const copy = join(place.folder, String(copies.length));
      mkdirSync(copy);
      for (const end of ["", "-wal"]) {
        if (existsSync(place.path + end)) copyFileSync(place.path + end, join(copy, `talaria.db${end}`));
      }
      copies.push(join(copy, "talaria.db"));
    };
    await (await openSqliteStore(place.path, { onStatement }))[Symbol.asyncDispose]();
    const whole = schemaOf(place.path);
    const stages = migrations.map((_, steps) => partsAfter(steps)).concat(whole.length);
    assert.ok(copies.length > migrations.flat().length, "every statement was a point to be killed at");
    for (const [at, copy] of copies.entries()) {
      const left = existsSync(copy) ? schemaOf(copy).length : 0;
      assert.ok(stages.includes(left), `killed at ${at}: ${left} parts of the schema`);
      {
        await using store = await openSqliteStore(copy);
        await startTurn(store);
      }
      assert.deepEqual(schemaOf(copy), whole, `killed at ${at}`);
    }
    assertSound(copies.at(-1) ?? "");
  });

  test("by an error at any statement can be repeated", async () => {
    await using place = await home();
    let last = 0;
    for (let at = 1; ; at++) {
      let left = at;
      const onStatement = (_sql: string, when: "before" | "after"): void => {
        if (when === "before" && --left === 0) throw new Error("injected");
      };
      try {
        await (await openSqliteStore(place.path, { onStatement }))[Symbol.asyncDispose]();
        last = at;
        break;
      } catch (error) {
        assert.equal((error as Error).message, "injected");
      }
    }
    assert.ok(last > (migrations[0]?.length ?? 0), "a later step is met below, on a file that has the first");
    assertSound(place.path);
  });
});

describe("several first starts at once", () => {
  test("all find the whole schema", async () => {
    await using place = await home();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openSqliteStore(place.path)));
    await Promise.all(stores.map((store) => startTurn(store)));
    assert.equal((await stores[0]?.sessions.list({ limit: 10 }))?.length, 6);
    for (const store of stores) await store[Symbol.asyncDispose]();
    assertSound(place.path);
  });
});

describe("a file of an earlier Talaria", () => {
  test("is brought up to date with everything that was in it", async () => {
    await using place = await home();
    await using fresh = await home();
    await (await openSqliteStore(fresh.path))[Symbol.asyncDispose]();
    const before = writtenByVersion1(place);
    const session = asId<"ses">("ses_old");
    {
      await using store = await openSqliteStore(place.path);
      assert.deepEqual(contentsOf(place), before);
      assert.equal((await store.search({ text: "elephant", limit: 5 })).length, 1);
      assert.equal((await store.turns.listOpen())[0]?.id, "trn_old");
      const row = approval({ session, turn: asId<"trn">("trn_old") });
      await store.approvals.add(row, owner());
      await store.grants.add(grant(session));
      assert.deepEqual(await store.approvals.get(row.id), row);
    }
    assert.deepEqual(schemaOf(place.path), schemaOf(fresh.path));
    assertSound(place.path);
    await using store = await openSqliteStore(place.path);
    await store.sessions.delete(session);
    assert.deepEqual(await store.approvals.list({ limit: 5 }), []);
  });

  test("that is cut off by an error at any statement is as it was, and the next start goes on", async () => {
    await using place = await home();
    const before = writtenByVersion1(place);
    for (let at = 1; ; at++) {
      let left = at;
      const onStatement = (_sql: string, when: "before" | "after"): void => {
        if (when === "before" && --left === 0) throw new Error("injected");
      };
      const opened = await openSqliteStore(place.path, { onStatement }).catch((error: Error) => error);
      if (!(opened instanceof Error)) {
        await opened[Symbol.asyncDispose]();
        assert.ok(at > migrations.length, "each step has failed at least once");
        break;
      }
      assert.equal(opened.message, "injected");
      const whole = migrations.map((_, step) => partsAfter(step + 1));
      assert.ok(whole.includes(schemaOf(place.path).length), `failed at ${at}: no step is half done`);
      assert.deepEqual(contentsOf(place), before);
    }
    assert.deepEqual(contentsOf(place), before);
    assertSound(place.path);
  });

  test("has the schema that was released: a step never changes", () => {
    const step = createHash("sha256").update(JSON.stringify(migrations[0])).digest("hex");
    assert.equal(step, "551b0f14e45eef890d8063b36e44eca3c75a3d135cd234f694c4414ff1341547");
  });
});

const partsAfter = (steps: number): number => {
  const db = new DatabaseSync(":memory:");
  try {
    for (const statement of migrations.slice(0, steps).flat()) db.exec(statement);
    return Number(db.prepare("select count(*) as parts from sqlite_schema").get()?.["parts"]);
  } finally {
    db.close();
  }
};

const old = [
  `insert into meta values ('note', 'kept')`,
  `insert into session values ('ses_old', '/work', 'cli', 'A title', 'loop', null, null, 1, 2)`,
  `insert into inbox values (1, 'inb_old', 'cli', '', '', 'm1', 'ses_old', '[]', 1, 'started', 'trn_old', 0)`,
  `insert into turn values (
    1, 'trn_old', 'ses_old', 'inb_old', 1, 'loop', '/work', 'm', null, null, 'open', null, null, 1, null, 1
  )`,
  `insert into item values (1, 'trn_old', 'itm', '{"id":"itm","kind":"text","text":"an elephant"}', 2)`,
  `insert into message values (
    1, 'ses_old', 'trn_old', 'itm', 'assistant', 2, 'an elephant', null, null, null, null
  )`,
  `insert into outbox values (1, 'trn_old', 0, 'chat', 'c', 'b', 'hash', 'pending', 0, null)`,
  `insert into lease values ('ses_old', 'here', 1, 's', 3, 5)`,
  `insert into binding values ('ses_old', 'codex', '/work', '"t"')`,
  `insert into process values (7, 's', 'codex', 'here', 1, 's')`,
];

/** A file as version 1 left it, with a row in every table. */
function writtenByVersion1(place: Home): unknown {
  const db = new DatabaseSync(place.path);
  try {
    for (const statement of [...(migrations[0] ?? []), ...old]) db.exec(statement);
    db.exec(`pragma application_id = ${applicationId}`);
    db.exec("pragma user_version = 1");
  } finally {
    db.close();
  }
  return contentsOf(place);
}

const contentsOf = ({ path }: Home): unknown =>
  old.map((statement) => ask(path, `select * from ${statement.split(" ")[2]}`));
