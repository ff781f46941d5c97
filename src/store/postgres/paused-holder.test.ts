import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type TestDatabase, testDatabase, withoutPostgres } from "../../../test/postgres.ts";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { StaleLeaseError, type Store, leaseExpiryMs } from "../store.ts";
import { grant } from "../suite/asking-world.suite.ts";
import { part, takeBot } from "../suite/gateway-world.suite.ts";
import { hold, newSession, nobodyIsGone, owner, said, startTurn } from "../suite/world.suite.ts";
import { type PostgresOptions, openPostgresStore } from "./open.ts";

/**
 * SQLite lets one write at a time; here several hosts write at once. Each of these holds one of them inside its transaction
 * while the other goes on, and is red without what it is about.
 */
describe("two hosts that write at once in PostgreSQL", { skip: withoutPostgres() }, () => {
  test("who was paused after the check of its lease commits before it is replaced, or not at all", async () => {
    await using database = await testDatabase();
    const pause = pausing((sql) => sql.startsWith('insert into "item"'));
    await using old = await open(database, { onStatement: pause.onStatement });
    await using young = await open(database);
    const { lease, turn, session } = await startTurn(old);
    const late = old.turns.keep(lease, turn, said("late"), [], 1);
    await pause.reached;
    const taken = young.leases.acquire(session, owner(2), leaseExpiryMs + 1, nobodyIsGone);
    const seen = taken.then(() => young.turns.items(turn));
    await Promise.race([waitsForLock(database), seen]);
    pause.goOn();
    assert.equal(await late, true);
    assert.deepEqual(await taken, { lease: { session, epoch: 2 } });
    assert.equal((await seen).length, 1, "the new holder sees what the old one wrote");
    await assert.rejects(old.turns.keep(lease, turn, said("later"), [], 1), StaleLeaseError);
  });

  test("what is noted of a turn is seen by whoever replaces the one that noted it", async () => {
    await using database = await testDatabase();
    let isNoting = false;
    const pause = pausing((sql) => isNoting && sql === "commit");
    await using old = await open(database, { onStatement: pause.onStatement });
    await using young = await open(database);
    const { lease, turn, session } = await startTurn(old);
    isNoting = true;
    const late = old.turns.describe(lease, turn, { side: "its place" });
    await pause.reached;
    const taken = young.leases.acquire(session, owner(2), leaseExpiryMs + 1, nobodyIsGone);
    const seen = taken.then(() => young.turns.listOpen());
    await Promise.race([waitsForLock(database), seen]);
    pause.goOn();
    await late;
    assert.equal((await seen)[0]?.side, "its place");
  });

  test("a holder that hangs in its transaction is cut off, and what it wrote is gone", async () => {
    await using database = await testDatabase();
    const pause = pausing((sql) => sql.startsWith('insert into "item"'));
    const limits = { idle_in_transaction_session_timeout: 300 };
    await using old = await open(database, { onStatement: pause.onStatement, limits });
    await using young = await open(database);
    const { lease, turn, session } = await startTurn(old);
    const late = assert.rejects(old.turns.keep(lease, turn, said("late"), [], 1));
    await pause.reached;
    const taken = await young.leases.acquire(session, owner(2), leaseExpiryMs + 1, nobodyIsGone);
    assert.deepEqual(taken, { lease: { session, epoch: 2 } });
    pause.goOn();
    await late;
    assert.deepEqual(await young.turns.items(turn), []);
    await assert.rejects(old.turns.keep(lease, turn, said("later"), [], 1), StaleLeaseError);
  });

  test("who sends for a bot and was paused after the check of its lease commits before it is replaced, or not at all", async () => {
    await using database = await testDatabase();
    const pause = pausing((sql) => sql.startsWith('update "outbox"'));
    await using old = await open(database, { onStatement: pause.onStatement });
    await using young = await open(database);
    const lease = await takeBot(old, 1, 0);
    const { id } = await old.outbox.add(part("a"), 1);
    const late = old.outbox.move(id, ["pending"], "sending", { at: 2 }, lease);
    await pause.reached;
    const taken = takeBot(young, 2, leaseExpiryMs + 1);
    const seen = taken.then(() => young.outbox.get(id));
    await Promise.race([waitsForLock(database), seen]);
    pause.goOn();
    assert.equal(await late, true);
    assert.equal((await seen)?.state, "sending", "the new holder sees what the old one has begun");
    const sent = { at: 3, platformId: "9" };
    await assert.rejects(old.outbox.move(id, ["sending"], "sent", sent, lease), StaleLeaseError);
    assert.equal(await young.outbox.move(id, ["sending"], "ambiguous", { at: 3 }, await taken), true);
  });

  test("a bot that is paused for too long is cut off, and what it began is gone", async () => {
    await using database = await testDatabase();
    const pause = pausing((sql) => sql.startsWith('update "outbox"'));
    const limits = { idle_in_transaction_session_timeout: 300 };
    await using old = await open(database, { onStatement: pause.onStatement, limits });
    await using young = await open(database);
    const lease = await takeBot(old, 1, 0);
    const { id } = await old.outbox.add(part("a"), 1);
    const late = assert.rejects(old.outbox.move(id, ["pending"], "sending", { at: 2 }, lease));
    await pause.reached;
    const next = await takeBot(young, 2, leaseExpiryMs + 1);
    pause.goOn();
    await late;
    assert.partialDeepStrictEqual(await young.outbox.get(id), { state: "pending", attempts: 0 });
    assert.equal(await young.outbox.move(id, ["pending"], "sending", { at: 3 }, next), true);
  });

  test("a grant for one use is used once, however the two meet", async () => {
    await using database = await testDatabase();
    const pause = pausing((sql) => sql.startsWith('update "grant_rule"'));
    await using one = await open(database, { onStatement: pause.onStatement });
    await using other = await open(database);
    const { session } = await startTurn(other);
    await other.grants.add(grant(undefined, { id: asId<"grn">("grn_once"), hash: "h", left: 1 }));
    const slow = one.grants.use({ hash: "h", session, at: 3 });
    await pause.reached;
    const fast = await other.grants.use({ hash: "h", session, at: 3 });
    pause.goOn();
    assert.deepEqual([fast?.left, await slow], [0, undefined]);
  });

  test("a lease does not go to whoever has the fastest clock", async () => {
    await using database = await testDatabase();
    await using here = await openPostgresStore(database.url);
    await using there = await openPostgresStore(database.url);
    const { id } = newSession();
    const now = systemClock.now();
    const hour = 3_600_000;
    const lease = await hold(here, id, now);
    const answer = await there.leases.acquire(id, owner(2), now + hour, nobodyIsGone);
    assert.deepEqual(answer, { busy: owner(1) });
    assert.equal(await here.leases.renew(lease, now - hour), true);
    assert.deepEqual(await there.leases.acquire(id, owner(2), now, nobodyIsGone), { busy: owner(1) });
  });
});

const open = (database: TestDatabase, options: PostgresOptions = {}): Promise<Store> =>
  openPostgresStore(database.url, { leaseTimes: "given", ...options });

/** Stops before the first statement that matches. */
function pausing(matches: (sql: string) => boolean) {
  const { promise: reached, resolve: arrived } = Promise.withResolvers<void>();
  const { promise: released, resolve: goOn } = Promise.withResolvers<void>();
  let passed = false;
  const onStatement = async (sql: string, when: "before" | "after"): Promise<void> => {
    if (passed || when !== "before" || !matches(sql)) return;
    passed = true;
    arrived();
    await released;
  };
  return { reached, goOn, onStatement };
}

async function waitsForLock(database: TestDatabase): Promise<void> {
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'lease'";
  for (let asked = 0; asked < 2000 && (await database.ask(waiting)).length === 0; asked++)
    await new Promise(setImmediate);
}
