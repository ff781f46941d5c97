import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { approval, decided, grant, inquiry, yes } from "../suite/asking-world.suite.ts";
import { owner, startTurn } from "../suite/world.suite.ts";
import { type Home, ask, assertSound, home } from "./home.suite.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";

describe("past the store, in the file itself", () => {
  test("nothing of a decided question can be changed but that it was told of", async () => {
    await using fixture = await home();
    const { closed } = await filled(fixture);
    const before = rows(fixture, "approval");
    const columns = Object.keys(before[0] ?? {}).filter((column) => column !== "told");
    assert.ok(columns.length > 20);
    for (const column of [...columns, "rowid"]) {
      assert.throws(() => change(fixture, "approval", column, closed), /does not change/, column);
    }
    assert.deepEqual(rows(fixture, "approval"), before);
    ask(fixture.path, `update approval set told = 0 where id = '${closed}'`);
    ask(fixture.path, `update approval set told = 1 where id = '${closed}'`);
    assert.deepEqual(rows(fixture, "approval"), before);
  });

  test("of one that waits, only the outcome and how long it waits can be set, and an outcome only whole", async () => {
    await using fixture = await home();
    const { waiting } = await filled(fixture);
    const before = rows(fixture, "approval");
    const outcome = ["state", "why", "decided_by", "reason", "decided_at", "told", "expires_at"];
    for (const column of Object.keys(before[0] ?? {}).filter((each) => !outcome.includes(each))) {
      assert.throws(
        () => change(fixture, "approval", column, waiting),
        /what was asked does not change/,
        column,
      );
    }
    for (const part of ["state = 'once'", "decided_at = 5", "why = 'person'", "state = 'maybe'"]) {
      const sql = `update approval set ${part} where id = '${waiting}'`;
      assert.throws(() => ask(fixture.path, sql), /CHECK constraint/, part);
    }
    assert.deepEqual(rows(fixture, "approval"), before);
  });

  test("a question is not deleted while its session is there", async () => {
    await using fixture = await home();
    await filled(fixture);
    assert.throws(() => ask(fixture.path, "delete from approval"), /only with their session/);
    ask(fixture.path, "delete from session");
    for (const table of ["approval", "inquiry"]) assert.deepEqual(rows(fixture, table), [], table);
    assert.deepEqual(
      rows(fixture, "grant_rule").map((row) => row["scope"]),
      ["always"],
    );
    assertSound(fixture.path);
  });

  test("a closed inquiry does not change", async () => {
    await using fixture = await home();
    const { answered } = await filled(fixture);
    const before = rows(fixture, "inquiry");
    for (const column of Object.keys(before[0] ?? {})) {
      assert.throws(() => change(fixture, "inquiry", column, answered), /does not change/, column);
    }
    assert.deepEqual(rows(fixture, "inquiry"), before);
  });

  test("a grant can only shrink", async () => {
    await using fixture = await home();
    const { limited, revoked, always } = await filled(fixture);
    const before = rows(fixture, "grant_rule");
    const more = ["uses_left = 3", "uses_left = null", "expires_at = 99", "hash = 'other'", "rowid = 77"];
    const wider = [
      "scope = 'always'",
      "scope = 'always', session = null",
      "session = 'ses_other'",
      `bound = '{}'`,
    ];
    for (const set of [...more, ...wider]) {
      const sql = `update grant_rule set ${set} where id = '${limited}'`;
      assert.throws(
        () => ask(fixture.path, sql),
        /only be used or revoked|tied to does not change|constraint/,
        set,
      );
    }
    const back = [`revoked_at = null where id = '${revoked}'`, `uses_left = 1 where id = '${always}'`];
    for (const set of [...back, `uses_left = -1 where id = '${limited}'`]) {
      assert.throws(
        () => ask(fixture.path, `update grant_rule set ${set}`),
        /only be used or revoked|CHECK constraint/,
        set,
      );
    }
    assert.deepEqual(rows(fixture, "grant_rule"), before);
  });
});

describe("what is asked of a long ledger", () => {
  test("is found by an index", async () => {
    await using fixture = await home();
    const said = new Set<string>();
    await using store = await openTestStore(fixture.path, { onStatement: (sql) => void said.add(sql) });
    const turn = await startTurn(store);
    const { session } = turn;
    const row = approval(turn);
    await store.approvals.add(row, owner());
    said.clear();
    await store.approvals.waiting();
    await store.approvals.get(row.id);
    await store.approvals.find("apr_");
    await store.approvals.list({ limit: 5, session });
    await store.approvals.list({ limit: 5, state: "pending" });
    await store.approvals.askedBefore(session, "h");
    await store.approvals.takeUnreported(session);
    await store.approvals.resolve(row.id, yes());
    await store.inquiries.waiting();
    await store.grants.use({ hash: "h", session, at: 1 });
    await store.grants.list({ session });
    const asked = [...said].filter((sql) => /^(select|update)/.test(sql));
    assert.equal(asked.length, 11);
    const plans = asked.map((sql) =>
      ask(fixture.path, `explain query plan ${sql.replaceAll("?", "null")}`)
        .map((step) => String(step["detail"]))
        .join("; "),
    );
    for (const plan of plans) assert.match(plan, /SEARCH|USING INDEX \w+_pending/);
    const small = [
      "approval_pending",
      "approval_asked",
      "approval_untold",
      "inquiry_pending",
      "grant_rule_live",
    ];
    for (const index of small)
      assert.ok(
        plans.some((plan) => plan.includes(index)),
        index,
      );
  });
});

describe("several processes that answer the same questions", () => {
  test("decide each of them once, and use a grant as often as it allows", async () => {
    await using fixture = await home();
    const { session, open } = await manyOpen(fixture, 30);
    const program = `
      import { openSqliteStore } from ${JSON.stringify(import.meta.resolve("./open.ts"))};
      const [path, by, session, ids] = process.argv.slice(1);
      const store = await openSqliteStore(path);
      const took = [];
      let uses = 0;
      for (const id of ids.split(",")) {
        if (await store.approvals.resolve(id, { state: "once", why: "person", by, at: 1 })) took.push(id);
        if (await store.grants.use({ hash: "hash", session, at: 1 })) uses += 1;
      }
      await store[Symbol.asyncDispose]();
      console.log(JSON.stringify({ by, took, uses }));
    `;
    const answers = await Promise.all(
      ["a", "b", "c"].map(async (by) => {
        const { code, stdout, stderr } = await runCommand({
          command: process.execPath,
          args: ["--input-type=module", "-e", program, fixture.path, by, session, open.join()],
          cwd: fixture.folder,
          env: {},
          clock: systemClock,
          signal: AbortSignal.timeout(60_000),
        });
        assert.equal(code, 0, stderr);
        return JSON.parse(stdout) as { by: string; took: string[]; uses: number };
      }),
    );
    assert.deepEqual(answers.flatMap(({ took }) => took).toSorted(), open.toSorted());
    const uses = answers.reduce((sum, each) => sum + each.uses, 0);
    assert.equal(uses, 40);
    await using store = await openTestStore(fixture.path);
    for (const { by, took } of answers) {
      const theirs = (await store.approvals.list({ limit: 99 })).filter((row) => row.by === by);
      assert.deepEqual(theirs.map(({ id }) => id).toSorted(), took.toSorted());
    }
    assertSound(fixture.path);
  });
});

async function filled({ path }: Home) {
  await using store = await openTestStore(path);
  const turn = await startTurn(store);
  const [waiting, closed, answered] = [approval(turn), approval(turn), inquiry(turn)];
  for (const row of [waiting, closed, decided(turn, "allowed")]) await store.approvals.add(row, owner());
  await store.approvals.resolve(closed.id, yes({ reason: "fine" }));
  await store.inquiries.add(answered, owner());
  await store.inquiries.resolve(answered.id, { state: "answered", answers: {}, by: "ada", at: 5 });
  const limited = grant(turn.session, { left: 2, expiresAt: 50 });
  const [revoked, always] = [grant(turn.session), grant()];
  for (const each of [limited, revoked, always]) await store.grants.add(each);
  await store.grants.revoke(revoked.id, 5);
  return {
    waiting: waiting.id,
    closed: closed.id,
    answered: answered.id,
    limited: limited.id,
    revoked: revoked.id,
    always: always.id,
  };
}

async function manyOpen({ path }: Home, count: number) {
  await using store = await openTestStore(path);
  const turn = await startTurn(store);
  const open = Array.from({ length: count }, () => approval(turn));
  for (const row of open) await store.approvals.add(row, owner());
  await store.grants.add(grant(turn.session, { left: 40 }));
  return { session: turn.session, open: open.map(({ id }) => id) };
}

const rows = ({ path }: Home, table: string) => ask(path, `select * from ${table} order by seq`);

/** Gives a column another value of its type. */
function change({ path }: Home, table: string, column: string, id: string): void {
  const db = new DatabaseSync(path);
  try {
    const type = db.prepare(`select typeof(${column}) as type from ${table} where id = ?`).get(id)?.["type"];
    const other = type === "integer" ? `${column} + 1` : `coalesce(${column}, '') || 'x'`;
    db.exec(`update ${table} set ${column} = ${other} where id = '${id}'`);
  } finally {
    db.close();
  }
}
