import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { testFolder } from "../../test/temp-folder.ts";
import type { Refusal } from "../core/host.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { leaseExpiryMs, leaseHeartbeatMs } from "../store/store.ts";
import { becomeExecutor } from "./executor.ts";

test("one executor for a home and machine: a second is refused, a dead one replaced, and whoever was replaced hears it", async (t) => {
  const clock = fakeClock();
  await using store = await openSqliteStore(join(await testFolder(t), "talaria.db"));
  const dead = new Set<number>();
  const parts = (pid: number) => ({
    store,
    owner: { host: "here", pid, startTime: "1" },
    isGone: (owner: { readonly pid: number }) => dead.has(owner.pid),
    clock,
    log: () => {},
  });
  await using stacks = new AsyncDisposableStack();
  const own = () => stacks.use(new AsyncDisposableStack());
  const first = await becomeExecutor(parts(1), own());
  await assert.rejects(becomeExecutor(parts(2), own()), (error: Refusal) => {
    assert.match(error.message, /runs already in this home \(pid 1 on here\)/);
    return error.code === "busy";
  });
  dead.add(1);
  const third = own();
  const second = await becomeExecutor(parts(3), third);
  await clock.advance(leaseHeartbeatMs);
  await clock.advance(leaseHeartbeatMs);
  assert.deepEqual([first.replaced.aborted, second.replaced.aborted], [true, false]);
  await third.disposeAsync();
  const fourth = await becomeExecutor(parts(4), own());
  assert.equal(fourth.replaced.aborted, false);
  // Nobody has heard of it for too long, although it may be alive.
  const late = { ...parts(5), clock: { ...clock, now: () => clock.now() + 2 * leaseExpiryMs } };
  assert.equal((await becomeExecutor(late, own())).replaced.aborted, false);
});

test("an executor that was stopped looks whether it still is one before it goes on", async (t) => {
  const real = fakeClock();
  await using store = await openSqliteStore(join(await testFolder(t), "talaria.db"));
  let behindMs = 0;
  // Its timers have not run yet, but it knows how late it is.
  const stopped = { ...real, now: () => real.now() + behindMs };
  const parts = (pid: number) => ({
    store,
    owner: { host: "here", pid, startTime: "1" },
    isGone: () => false,
    clock: stopped,
    log: () => {},
  });
  await using stacks = new AsyncDisposableStack();
  const own = () => stacks.use(new AsyncDisposableStack());
  const first = await becomeExecutor(parts(1), own());
  assert.equal(first.look(), undefined);
  behindMs = leaseExpiryMs + 1;
  await first.look();
  assert.equal(first.replaced.aborted, false, "nobody has taken over meanwhile");
  assert.equal(first.look(), undefined);
  behindMs = 2 * leaseExpiryMs + 2;
  await becomeExecutor(parts(2), own());
  await first.look();
  assert.equal(first.replaced.aborted, true);
});
