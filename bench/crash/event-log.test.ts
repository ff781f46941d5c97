import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { spoken } from "../../src/store/suite/undo.suite.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { brokenCursors, brokenLog } from "./event-log.ts";

test("the check of the event log finds a missing event, a doubled one and one that is out of order", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "talaria.db");
  await using store = await openSqliteStore(file);
  const { session } = await spoken(store, 2);
  using db = new DatabaseSync(file);
  assert.deepEqual([...brokenLog(db), ...(await brokenCursors(store, session))], []);
  const after = (...statements: readonly string[]): readonly string[] => {
    db.exec("begin");
    try {
      for (const statement of ["drop trigger event_unchanged", ...statements]) db.exec(statement);
      return brokenLog(db);
    } finally {
      db.exec("rollback");
    }
  };
  assert.match(after("delete from event where number = 3").join("\n"), /holes[^]*an item is not there once/);
  const again = `insert into event (session, number, type, turn_id, at)
    select session, 99, type, turn_id, at from event where type = 'ended' limit 1`;
  assert.match(after(again).join("\n"), /holes[^]*an end is not there once/);
  const swap =
    "update event set number = case number when 2 then 103 when 3 then 102 end where number in (2, 3)";
  assert.match(after(swap).join("\n"), /disagree[^]*before its start/);
});
