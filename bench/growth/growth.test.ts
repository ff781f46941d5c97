import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { test } from "node:test";
import { tempFolder } from "../../test/temp-folder.ts";
import { bench } from "./bench.ts";
import type { Shape } from "./fill.ts";
import { homeOf } from "./homes.ts";
import { lists, measured, openMeasured, runTurn, screen } from "./host.ts";

const { grown, fresh } = bench.sizes.quick;

/** What is asked of the database by a start, turns, lists and what a screen shows, each statement with the most rows that it gave. */
async function asked(
  shape: Shape,
): Promise<{ readonly rows: ReadonlyMap<string, number>; readonly plans: readonly string[] }> {
  await using folder = await tempFolder();
  const home = join(folder.path, "home");
  await homeOf(shape, home);
  const rows = new Map<string, number>();
  const { all } = StatementSync.prototype;
  StatementSync.prototype.all = function (this: StatementSync, ...bound) {
    const found = all.apply(this, bound as Parameters<typeof all>);
    rows.set(this.sourceSQL, Math.max(rows.get(this.sourceSQL) ?? 0, found.length));
    return found;
  };
  try {
    await using host = await openMeasured(home);
    for (const runtime of ["loop", "keeps"] as const) {
      await runTurn(host, runtime, measured);
      await runTurn(host, runtime);
    }
    await lists(host, 5);
    await screen(host);
  } finally {
    StatementSync.prototype.all = all;
  }
  return { rows, plans: plansOf(join(home, "talaria.db"), [...rows.keys()]) };
}

/** Statements that look at a whole table, or sort what they found. */
function plansOf(path: string, statements: readonly string[]): readonly string[] {
  forgetSizes(path);
  using db = new DatabaseSync(path, { readOnly: true });
  db.function("lease_time", { deterministic: true }, (at) => at);
  return statements.flatMap((sql) => {
    if (!/^(?:select|update|delete)/i.test(sql)) return [];
    const bound = Array.from(sql.matchAll(/\?/g), () => null);
    const steps = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...bound)
      .map(({ detail }) => String(detail));
    return steps.filter((step) => step.startsWith("SCAN")).map((step) => `${step}: ${sql.slice(0, 90)}`);
  });
}

/** A table that is known to be small is rather looked at as a whole than by an index. */
function forgetSizes(path: string): void {
  using db = new DatabaseSync(path);
  db.exec("DELETE FROM sqlite_stat1");
}

/** These give what is open, alive or newest, by an index that has nothing else. */
const bounded =
  /^SCAN (?:turn USING INDEX turn_open|process USING INDEX|session USING INDEX session_newest|left_running|event|lease)/;

test("no start, turn or list looks at a whole table", async () => {
  const { plans } = await asked(grown.sessions);
  assert.deepEqual(
    plans.filter((plan) => !bounded.test(plan)),
    [],
  );
});

test("with more turns before it, and more sessions and messages around it, a turn reads no more rows", async () => {
  const before = (await asked(fresh)).rows;
  for (const shape of Object.values(grown)) {
    const more = [...(await asked(shape)).rows].filter(([sql, count]) => count > (before.get(sql) ?? 0));
    assert.deepEqual(more, []);
  }
});

test("the bench measures all that it is held against", async () => {
  const { figures, faults } = await bench.run(bench.sizes.quick, {
    seed: 1,
    flags: { part: "search" },
    log: () => {},
  });
  assert.deepEqual(faults, []);
  assert.ok(Number.isFinite(figures["search"]));
});
