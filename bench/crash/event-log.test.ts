import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openTestStore } from "../../test/sqlite-store.ts";
import { spoken } from "../../src/store/suite/undo.suite.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { brokenCursors, brokenLog } from "./event-log.ts";
import { misread } from "./follower.ts";

test("the check of the event log finds a missing event, a doubled one and one that is out of order", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "talaria.db");
  await using store = await openTestStore(file);
  const { session } = await spoken(store, 2);
  using db = new DatabaseSync(file);
  const rows = async <Row>(sql: string) => db.prepare(sql).all() as unknown as readonly Row[];
  assert.deepEqual([...(await brokenLog(rows)), ...(await brokenCursors(store, session))], []);
  const after = async (...statements: readonly string[]): Promise<string> => {
    db.exec("begin");
    try {
      for (const statement of ["drop trigger event_unchanged", ...statements]) db.exec(statement);
      return (await brokenLog(rows)).join("\n");
    } finally {
      db.exec("rollback");
    }
  };
  assert.match(await after("delete from event where number = 3"), /holes[^]*an item is not there once/);
  const again = `insert into event (session, number, type, turn_id, at)
    select session, 99, type, turn_id, at from event where type = 'ended' limit 1`;
  assert.match(await after(again), /holes[^]*an end is not there once/);
  const swap =
    "update event set number = case number when 2 then 103 when 3 then 102 end where number in (2, 3)";
  assert.match(await after(swap), /disagree[^]*before its start/);
});

test("the check of a follower finds what it read twice, left out, and had before it was there", () => {
  const log = [1, 2, 3, 4].map((number) => ({ session: "s", number }));
  const [one, two, three, four] = log;
  if (!one || !two || !three || !four) throw new Error("there are four");
  assert.deepEqual(misread(log, log, true), []);
  assert.deepEqual(misread([one, two], log, false), []);
  assert.match(misread([one, two], log, true).join(), /2 events were not read, s 3 is the first/);
  assert.match(misread([one, two, two, three], log, false).join(), /event 3 was read as s 2 and is s 3/);
  assert.match(misread([one, three, four], log, false).join(), /event 2 was read as s 3 and is s 2/);
  assert.match(misread(log, [one, two, three], false).join(), /event 4 was read as s 4 and is nothing/);
});
