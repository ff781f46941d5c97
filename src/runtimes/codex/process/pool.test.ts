import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FaultError } from "../../../core/faults.ts";
import { launch, world } from "./fake-servers.suite.ts";
import { settled } from "../connection/fake-wire.suite.ts";

const never = new AbortController().signal;

describe("leases", () => {
  test("of one launch share one process, also while it starts", async () => {
    const { pool, starts } = world();
    const leases = await Promise.all([1, 2, 3].map(() => pool.lease(launch("a"), never)));
    const later = await pool.lease(launch("a"), never);
    assert.equal(starts.length, 1);
    assert.equal(new Set([...leases, later].map(({ server }) => server)).size, 1);
  });

  test("of other launches have other processes", async () => {
    const { pool } = world();
    const a = await pool.lease(launch("a"), never);
    const b = await pool.lease(launch("b"), never);
    assert.notEqual(a.server, b.server);
  });

  test("that are given up while it starts end at once, and the others get it", async () => {
    const { pool, starts, hold } = world();
    const open = hold();
    const stop = new AbortController();
    const impatient = assert.rejects(pool.lease(launch("a"), stop.signal), /no time/);
    const patient = pool.lease(launch("a"), never);
    stop.abort(new Error("no time"));
    await impatient;
    open();
    assert.ok((await patient).server.alive);
    assert.equal(starts.length, 1);
    await assert.rejects(pool.lease(launch("a"), stop.signal), /no time/);
  });

  test("of a process that does not start all hear why, and the next one tries again", async () => {
    const { pool, starts, failWith } = world();
    failWith(new Error("bad config.toml"));
    const both = [1, 2].map(() => pool.lease(launch("a"), never));
    for (const lease of both) await assert.rejects(lease, /bad config\.toml/);
    failWith(undefined);
    assert.ok((await pool.lease(launch("a"), never)).server.alive);
    assert.equal(starts.length, 2);
  });
});

describe("a process that nobody leases", () => {
  test("ends after ten minutes, and is started again on demand", async () => {
    const { pool, starts, clock } = world();
    const first = await pool.lease(launch("a"), never);
    await clock.advance(60 * 60_000);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await clock.advance(10 * 60_000 - 1);
    assert.ok(starts[0]?.server.alive);
    await clock.advance(1);
    assert.deepEqual(starts[0]?.ended, ["asked"]);
    await pool.lease(launch("a"), never);
    assert.equal(starts.length, 2);
  });

  test("stays if it is leased again meanwhile, and as long as one of several leases is left", async () => {
    const { pool, starts, clock } = world();
    const [one, two] = [await pool.lease(launch("a"), never), await pool.lease(launch("a"), never)];
    one[Symbol.dispose]();
    await clock.advance(11 * 60_000);
    two[Symbol.dispose]();
    await clock.advance(9 * 60_000);
    const again = await pool.lease(launch("a"), never);
    await clock.advance(9 * 60_000);
    assert.ok(again.server.alive);
    assert.equal(starts.length, 1);
  });

  test("also ends if all who waited for its start have gone", async () => {
    const { pool, starts, clock, hold } = world();
    const open = hold();
    const stop = new AbortController();
    const lease = assert.rejects(pool.lease(launch("a"), stop.signal));
    stop.abort();
    await lease;
    open();
    await clock.advance(10 * 60_000);
    assert.deepEqual(starts[0]?.ended, ["asked"]);
  });
});

describe("the first starts on one CODEX_HOME", () => {
  test("go one by one, and later ones side by side", async () => {
    const { pool, starts, hold } = world();
    const open = hold();
    const leases = ["a", "b", "c"].map((key) => pool.lease(launch(key), never));
    await settled();
    assert.equal(starts.length, 1);
    open();
    await Promise.all(leases);
    const openAgain = hold();
    const more = ["d", "e"].map((key) => pool.lease(launch(key), never));
    await settled();
    assert.equal(starts.length, 5);
    openAgain();
    await Promise.all(more);
  });

  test("go one by one until one has succeeded", async () => {
    const { pool, starts, hold, failWith } = world();
    failWith(new Error("no"));
    const open = hold();
    const refused = ["a", "b"].map((key) => assert.rejects(pool.lease(launch(key), never), /no/));
    await settled();
    assert.equal(starts.length, 1);
    open();
    await Promise.all(refused);
    assert.equal(starts.length, 2);
  });

  test("do not wait for another home", async () => {
    const { pool, starts, hold } = world();
    const open = hold();
    const leases = ["/x", "/y"].map((home) => pool.lease(launch("a", home), never));
    await settled();
    assert.equal(starts.length, 2);
    open();
    await Promise.all(leases);
  });
});

describe("a drained process", () => {
  test("gets no new leases, lets the old ones finish, and ends with the last", async () => {
    const { pool, starts } = world();
    const [one, two] = [await pool.lease(launch("a"), never), await pool.lease(launch("a"), never)];
    pool.drain(one.server, "auth");
    const fresh = await pool.lease(launch("a"), never);
    assert.notEqual(fresh.server, one.server);
    one[Symbol.dispose]();
    assert.ok(two.server.alive);
    two[Symbol.dispose]();
    assert.deepEqual(starts[0]?.ended, ["asked"]);
    assert.ok(fresh.server.alive);
  });

  test("that is wedged is killed and not asked, whatever else is said of it", async () => {
    const { pool, starts } = world();
    const lease = await pool.lease(launch("a"), never);
    pool.drain(lease.server, "auth");
    pool.drain(lease.server, "wedged");
    pool.drain(lease.server, "stale");
    lease[Symbol.dispose]();
    assert.deepEqual(starts[0]?.ended, ["killed"]);
  });

  test("ends at once if nobody leases it, or if it is gone anyway", async () => {
    const { pool, starts } = world();
    const idle = await pool.lease(launch("a"), never);
    idle[Symbol.dispose]();
    pool.drain(idle.server, "stale");
    assert.deepEqual(starts[0]?.ended, ["asked"]);
    const held = await pool.lease(launch("a"), never);
    pool.drain(held.server, "stale");
    starts[1]?.crash();
    await settled();
    assert.deepEqual(starts[1]?.ended, ["asked"]);
  });

  test("holds up the next start on its home only while it ends, because it has its threads until then", async () => {
    const { pool, starts, holdEnds } = world();
    const lease = await pool.lease(launch("a"), never);
    const letEnd = holdEnds();
    pool.drain(lease.server, "stale");
    const whileLeased = await pool.lease(launch("a"), never);
    whileLeased[Symbol.dispose]();
    lease[Symbol.dispose]();
    pool.drain(whileLeased.server, "stale");
    const next = pool.lease(launch("a"), never);
    const elsewhere = await pool.lease(launch("b", "/other"), never);
    assert.ok(elsewhere.server.alive);
    await settled();
    assert.equal(starts.length, 3);
    letEnd();
    assert.ok((await next).server.alive);
    assert.equal(starts.length, 4);
  });

  test("that ends is no crash, also not after one", async () => {
    const { pool, starts, clock } = world();
    await pool.lease(launch("a"), never);
    starts[0]?.crash();
    await clock.advance(600);
    for (let n = 1; n < 10; n += 1) {
      const lease = await pool.lease(launch("a"), never);
      pool.drain(lease.server, "stale");
      starts[n]?.crash();
      await settled();
    }
    assert.equal(clock.monotonic(), 600);
  });
});

describe("a process that crashes", () => {
  test("is replaced for the next lease, after a pause that grows", async () => {
    const { pool, starts, clock } = world();
    await pool.lease(launch("a"), never);
    for (const [index, pause] of [500, 2_000, 8_000, 30_000].entries()) {
      starts[index]?.crash();
      const next = pool.lease(launch("a"), never);
      await clock.advance(pause - 1);
      assert.equal(starts.length, index + 1);
      await clock.advance(1);
      assert.ok((await next).server.alive);
    }
  });

  test("needs no pause if it crashed a while ago", async () => {
    const { pool, starts, clock } = world();
    await pool.lease(launch("a"), never);
    starts[0]?.crash();
    await clock.advance(600);
    await pool.lease(launch("a"), never);
    assert.equal(starts.length, 2);
  });

  test("is left alone after four restarts within three minutes, which is said, and tried again after them", async () => {
    const { pool, starts, clock } = world();
    await crashes({ pool, starts, clock }, 5);
    const fault = await faultOf(pool.lease(launch("a"), never));
    assert.equal(fault.code, "lost");
    assert.match(fault.message, /again and again.*exit code 101/s);
    const seconds = Number(/Try again in (\d+) seconds/.exec(fault.next)?.[1]);
    assert.ok(seconds > 60 && seconds <= 180, fault.next);
    assert.ok((await pool.lease(launch("b"), never)).server.alive, "another launch is not affected");
    await clock.advance((seconds - 1) * 1_000);
    assert.equal((await faultOf(pool.lease(launch("a"), never))).code, "lost");
    await clock.advance(1_000);
    const again = pool.lease(launch("a"), never);
    await clock.advance(30_000);
    assert.ok((await again).server.alive);
  });

  test("now and then is always started again", async () => {
    const { pool, starts, clock } = world();
    await pool.lease(launch("a"), never);
    for (let n = 0; n < 12; n += 1) {
      starts[n]?.crash();
      await clock.advance(61_000);
      assert.ok((await pool.lease(launch("a"), never)).server.alive);
    }
  });

  test("lets a lease that waits for the pause be given up", async () => {
    const { pool, starts } = world();
    await pool.lease(launch("a"), never);
    starts[0]?.crash();
    await settled();
    const stop = new AbortController();
    const lease = assert.rejects(pool.lease(launch("a"), stop.signal), /stop/);
    stop.abort(new Error("stop"));
    await lease;
  });
});

describe("a pool that is disposed", () => {
  test("ends every process, leased, idle and drained, waits for them, and starts none", async () => {
    const { pool, starts, holdEnds } = world();
    const leased = await pool.lease(launch("a"), never);
    (await pool.lease(launch("b"), never))[Symbol.dispose]();
    pool.drain(leased.server, "stale");
    const letEnd = holdEnds();
    let closed = false;
    const closing = pool[Symbol.asyncDispose]().then(() => (closed = true));
    await settled();
    assert.deepEqual(
      starts.map(({ ended }) => ended),
      [["asked"], ["asked"]],
    );
    assert.equal(closed, false);
    letEnd();
    await closing;
    assert.match((await faultOf(pool.lease(launch("c"), never))).message, /closing/);
    assert.equal(starts.length, 2);
  });

  test("gives up what starts, and ends what started meanwhile", async () => {
    const { pool, starts, hold } = world();
    const open = hold();
    const lease = assert.rejects(pool.lease(launch("a"), never));
    await settled();
    const closing = pool[Symbol.asyncDispose]();
    assert.ok(starts[0]?.signal.aborted);
    open();
    await closing;
    assert.deepEqual(starts[0]?.ended, ["asked"]);
    await lease;
  });

  test("does not wait for a restart that is due later", async () => {
    const { pool, starts, clock } = world();
    await pool.lease(launch("a"), never);
    starts[0]?.crash();
    await settled();
    const lease = assert.rejects(pool.lease(launch("a"), never));
    await pool[Symbol.asyncDispose]();
    await lease;
    assert.equal(clock.monotonic(), 0);
  });
});

async function crashes(
  { pool, starts, clock }: Pick<ReturnType<typeof world>, "pool" | "starts" | "clock">,
  times: number,
) {
  for (let n = 0; n < times; n += 1) {
    const lease = pool.lease(launch("a"), never);
    await clock.advance(n === 0 ? 0 : 30_000);
    await lease;
    starts[n]?.crash();
    await settled();
  }
}

async function faultOf(lease: Promise<unknown>): Promise<FaultError["fault"]> {
  const error = await lease.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FaultError, String(error));
  return error.fault;
}
