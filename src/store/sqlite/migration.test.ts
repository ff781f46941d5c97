import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import { approval, grant } from "../suite/asking-world.suite.ts";
import { done, owner, startTurn } from "../suite/world.suite.ts";
import { applicationId } from "./file.ts";
import { type Home, ask, assertSound, home, schemaOf, schemaQuery } from "./home.suite.ts";
import { openSqliteStore } from "./open.ts";
import { migrations, whole } from "./schema.ts";

describe("a new store", () => {
  test("is made at once, and is what all steps make one after the other", () => {
    const [atOnce, stepByStep] = [
      [...whole.statements, ...migrations.slice(whole.version).flat()],
      migrations.flat(),
    ];
    assert.deepEqual(madeBy(atOnce), madeBy(stepByStep));
    assert.ok(atOnce.length < 0.8 * stepByStep.length, "it leaves out what a later step takes back");
  });
});

describe("a first start that is cut off", () => {
  test("by a kill at any statement leaves a file that the next start completes", async () => {
    await using fixture = await home();
    const { moments, copies } = await killedAtAnyStatement(fixture);
    const complete = schemaOf(fixture.path);
    assert.ok(moments > whole.statements.length, "every statement was a point to be killed at");
    for (const [at, copy] of copies.entries()) {
      if (existsSync(copy)) assertWholeStep(copy, `killed at ${at}`);
      {
        await using store = await openSqliteStore(copy);
        await startTurn(store);
      }
      assert.deepEqual(schemaOf(copy), complete, `killed at ${at}`);
    }
    assertSound(copies.at(-1) ?? "");
  });

  test("by an error at any statement can be repeated", async () => {
    await using fixture = await home();
    let last = 0;
    for (let at = 1; ; at++) {
      let left = at;
      const onStatement = (_sql: string, when: "before" | "after"): void => {
        if (when === "before" && --left === 0) throw new Error("injected");
      };
      try {
        await (await openSqliteStore(fixture.path, { onStatement }))[Symbol.asyncDispose]();
        last = at;
        break;
      } catch (error) {
        assert.equal((error as Error).message, "injected");
      }
    }
    assert.ok(last > whole.statements.length, "every statement has failed once");
    assertSound(fixture.path);
  });
});

describe("several first starts at once", () => {
  test("all find the whole schema", async () => {
    await using fixture = await home();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openSqliteStore(fixture.path)));
    await Promise.all(stores.map((store) => startTurn(store)));
    assert.equal((await stores[0]?.sessions.list({ limit: 10 }))?.length, 6);
    for (const store of stores) await store[Symbol.asyncDispose]();
    assertSound(fixture.path);
  });
});

describe("a file of an earlier Talaria", () => {
  test("is brought up to date with everything that was in it", async () => {
    await using fixture = await home();
    await using fresh = await home();
    await (await openSqliteStore(fresh.path))[Symbol.asyncDispose]();
    const before = writtenBy(fixture, 1);
    const session = asId<"ses">("ses_old");
    {
      await using store = await openSqliteStore(fixture.path);
      assert.deepEqual(contentsOf(fixture), before);
      assert.equal((await store.search({ text: "elephant", limit: 5 })).length, 1);
      assert.equal((await store.turns.listOpen())[0]?.id, "trn_old");
      const row = approval({ session, turn: asId<"trn">("trn_old") });
      await store.approvals.add(row, owner());
      await store.grants.add(grant(session));
      assert.deepEqual(await store.approvals.get(row.id), row);
    }
    assert.deepEqual(schemaOf(fixture.path), schemaOf(fresh.path));
    assertSound(fixture.path);
    await using store = await openSqliteStore(fixture.path);
    await store.sessions.delete(session);
    assert.deepEqual(await store.approvals.list({ limit: 5 }), []);
  });

  test("of version 4 gets turns that can be taken back, and all of its turns hold", async () => {
    await using fixture = await home();
    const before = writtenBy(fixture, 4);
    await using store = await openSqliteStore(fixture.path);
    assert.deepEqual(contentsOf(fixture), before);
    const session = asId<"ses">("ses_old");
    const lease = { session, epoch: 3 };
    const turn = asId<"trn">("trn_old");
    assert.deepEqual(
      (await store.sessions.turns(session)).map(({ undone }) => undone),
      [undefined],
    );
    await store.turns.end(lease, turn, done, 9, { replies: [], tell: false });
    await store.turns.undo(lease, [turn]);
    assert.equal((await store.sessions.turns(session))[0]?.undone, true);
    assert.equal((await store.compactions.list(session)).length, 1);
    assertSound(fixture.path);
  });

  test("of version 4 that is killed at any statement is as it was or new, with everything that was in it", async () => {
    await using fixture = await home();
    const before = writtenBy(fixture, 4);
    const { moments, copies } = await killedAtAnyStatement(fixture);
    const complete = schemaOf(fixture.path);
    assert.ok(moments > (migrations[4]?.length ?? 0), "every statement was a point to be killed at");
    for (const [at, copy] of copies.entries()) {
      assertWholeStep(copy, `killed at ${at}`);
      const left = { ...fixture, path: copy };
      assert.deepEqual(contentsOf(left), before, `killed at ${at}`);
      await (await openSqliteStore(copy))[Symbol.asyncDispose]();
      assert.deepEqual([schemaOf(copy), contentsOf(left)], [complete, before], `killed at ${at}`);
    }
  });

  test("still knows which turns of codex's are ours", async () => {
    await using fixture = await home();
    writtenBy(fixture, 4);
    const db = new DatabaseSync(fixture.path);
    db.exec(`update turn set thread = 'th', codex_turn = 'ct'`);
    db.close();
    await using store = await openSqliteStore(fixture.path);
    assert.deepEqual((await store.turns.listOpen())[0]?.side, { thread: "th", turn: "ct" });
  });

  test("that is cut off by an error at any statement is as it was, and the next start goes on", async () => {
    await using fixture = await home();
    const before = writtenBy(fixture, 1);
    // One transaction: all of them end alike, and each takes as long as what comes before it.
    for (let at = 1; ; at += 5) {
      let left = at;
      const onStatement = (_sql: string, when: "before" | "after"): void => {
        if (when === "before" && --left === 0) throw new Error("injected");
      };
      const opened = await openSqliteStore(fixture.path, { onStatement }).catch((error: Error) => error);
      if (!(opened instanceof Error)) {
        await opened[Symbol.asyncDispose]();
        assert.ok(
          at > migrations.flat().length - (migrations[0]?.length ?? 0),
          "also the last step has failed",
        );
        break;
      }
      assert.equal(opened.message, "injected");
      assertWholeStep(fixture.path, `failed at ${at}`);
      assert.deepEqual(contentsOf(fixture), before);
    }
    assert.deepEqual(contentsOf(fixture), before);
    assertSound(fixture.path);
  });

  test("has the schema that was released: a step never changes", () => {
    const step = createHash("sha256").update(JSON.stringify(migrations[0])).digest("hex");
    assert.equal(step, "551b0f14e45eef890d8063b36e44eca3c75a3d135cd234f694c4414ff1341547");
  });
});

/** The schema, and what is in its tables: those of the search indexes have their settings. */
function madeBy(statements: readonly string[]): unknown {
  using db = new DatabaseSync(":memory:");
  for (const statement of statements) db.exec(statement);
  const schema = db.prepare(schemaQuery).all();
  const rows = schema
    .filter(({ type, name }) => type === "table" && !/^sqlite_|_data$/.test(String(name)))
    .map(({ name }) => [
      name,
      db
        .prepare(`select * from "${String(name)}"`)
        .all()
        .map(unnamed),
    ]);
  return { schema, rows };
}

/** Each home has another name. */
const unnamed = (row: Record<string, unknown>): unknown =>
  row["key"] === "home" ? { ...row, value: "" } : row;

/**
 * What a kill would leave at each moment of a start: the files as they are, seen from outside. Most moments leave the same
 * bytes, of which one copy is enough.
 */
async function killedAtAnyStatement(
  fixture: Home,
): Promise<{ readonly moments: number; readonly copies: readonly string[] }> {
  const copies = new Map<string, string>();
  let moments = 0;
  const onStatement = (sql: string, when: "before" | "after"): void => {
    if (when === "after" && sql !== "commit") return;
    moments += 1;
    const left = ["", "-wal"].flatMap((end) => (existsSync(fixture.path + end) ? [end] : []));
    const bytes = left.map((end) => [end, readFileSync(fixture.path + end)] as const);
    const hash = createHash("sha256");
    for (const [end, content] of bytes) hash.update(`${end} ${content.length} `).update(content);
    const key = hash.digest("hex");
    if (copies.has(key)) return;
    const copy = join(fixture.folder, String(moments));
    mkdirSync(copy);
    for (const [end, content] of bytes) writeFileSync(join(copy, `talaria.db${end}`), content);
    copies.set(key, join(copy, "talaria.db"));
  };
  await (await openSqliteStore(fixture.path, { onStatement }))[Symbol.asyncDispose]();
  return { moments, copies: [...copies.values()] };
}

/** Is the schema that of its version, no more and no less? */
function assertWholeStep(path: string, when: string): void {
  const version = Number(ask(path, "pragma user_version")[0]?.["user_version"]);
  assert.deepEqual(schemaOf(path), stages[version], `${when}: version ${version}`);
}

const stages = ((): readonly unknown[] => {
  using db = new DatabaseSync(":memory:");
  const schema = (): unknown => db.prepare(schemaQuery).all();
  const first = schema();
  const later = migrations.map((step) => {
    for (const statement of step) db.exec(statement);
    return schema();
  });
  return [first, ...later];
})();

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

const newer = [
  `insert into usage values (
    1, 5, 'ses_old', 'trn_old', 'turn', 'loop', 'p', 'm', 3, 1, 2, 0, null
  )`,
  `insert into compaction values (1, 'ses_old', 1, 1, null, 5, 'm', null, '[]', 'S')`,
  `insert into pin values (1, 'ses_old', 'a line')`,
];

/** A file as an earlier version left it, with a row in every table of version 1, and in some later ones. */
function writtenBy(fixture: Home, version: 1 | 4): unknown {
  const db = new DatabaseSync(fixture.path);
  try {
    const rows = version === 1 ? old : [...old, ...newer];
    for (const statement of [...migrations.slice(0, version).flat(), ...rows]) db.exec(statement);
    db.exec(`pragma application_id = ${applicationId}`);
    db.exec(`pragma user_version = ${version}`);
  } finally {
    db.close();
  }
  return contentsOf(fixture);
}

/** By table, without columns that came later, with leases by name, answers as text, and without the name of the home. */
const contentsOf = ({ path }: Home): unknown =>
  Object.fromEntries(
    ask(path, "select name from sqlite_schema where type = 'table' and instr(name, '_') = 0")
      .map(({ name }) => [name, rowsOf(path, String(name)).map(filled)] as const)
      .filter(([, rows]) => rows.length > 0),
  );

const rowsOf = (path: string, table: string): readonly Record<string, unknown>[] => {
  const rows = ask(path, `select * from "${table}"`);
  if (table === "meta") return rows.filter(({ key }) => key !== "home");
  if (table === "outbox") return rows.map(answered);
  if (table === "binding") return rows.map((row) => ({ ...row, host: null }));
  return table === "lease" ? rows.map(named) : rows;
};

/** As the text that it was. */
const answered = (row: Record<string, unknown>): Record<string, unknown> => {
  if (!("id" in row)) return row;
  const { id: _id, account: _account, reply_to: _replyTo, at: _at, body, ...same } = row;
  return { ...same, body: (JSON.parse(String(body)) as { readonly markdown: string }).markdown };
};

const filled = (row: Record<string, unknown>): unknown =>
  Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== null && value !== 0 && !cameLater.test(name)),
  );

/** Who rows are from and what for, which a later step writes into those that are there. */
const cameLater = /^(?:audience|asker|role|from_\w+|origin|attempt)$/;

const named = ({ session, ...row }: Record<string, unknown>): Record<string, unknown> =>
  session === undefined ? row : { name: `session:${String(session)}`, ...row };
