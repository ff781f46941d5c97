import assert from "node:assert/strict";
import { test } from "node:test";
import { cost } from "../suite/usage.suite.ts";
import { done, startTurn } from "../suite/world.suite.ts";
import { ask, assertSound, home } from "./home.suite.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";

test("past the store, in the file itself, a cost cannot be changed or removed, only lose its name", async () => {
  await using fixture = await home();
  {
    await using store = await openTestStore(fixture.path);
    const { lease, turn, session } = await startTurn(store);
    const usage = [cost({ session, turn, uncounted: true })];
    await store.turns.end(lease, turn, done, 5, { replies: [], tell: false, usage });
  }
  const rows = (): readonly Record<string, unknown>[] => ask(fixture.path, "select * from usage");
  const before = rows();
  const columns = Object.keys(before[0] ?? {});
  assert.ok(columns.length >= 13);
  for (const column of columns) {
    const value = typeof before[0]?.[column] === "number" ? `${column} + 1` : `'other'`;
    const sql = `update usage set ${column} = ${value}`;
    assert.throws(() => ask(fixture.path, sql), /does not change/, column);
  }
  assert.throws(() => ask(fixture.path, "delete from usage"), /is kept/);
  const twice = columns.filter((column) => column !== "seq").join(", ");
  assert.throws(() => ask(fixture.path, `insert into usage (${twice}) select ${twice} from usage`), /UNIQUE/);
  assert.deepEqual(rows(), before);
  ask(fixture.path, "delete from session");
  assert.deepEqual({ ...rows()[0] }, { ...before[0], session: null, turn_id: null });
  assertSound(fixture.path);
});
