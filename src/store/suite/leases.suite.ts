import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { type Lease, leaseExpiryMs } from "../store.ts";
import { type Open, hold, newSession, nobodyIsGone, owner } from "./world.suite.ts";

export function leaseTests(open: Open): void {
  describe("leases", () => {
    test("a free session is held from epoch 1, and everybody else is told who holds it", async () => {
      await using opened = await open();
      const { leases } = opened.store;
      const { id } = newSession();
      assert.equal(await leases.holder(id), undefined);
      assert.deepEqual(await leases.acquire(id, owner(1), 100, nobodyIsGone), {
        lease: { session: id, epoch: 1 },
      });
      assert.deepEqual(await leases.acquire(id, owner(2), 101, nobodyIsGone), { busy: owner(1) });
      assert.deepEqual(
        await leases.acquire(id, owner(1), 101, nobodyIsGone),
        { busy: owner(1) },
        "ourselves too",
      );
      assert.deepEqual(await leases.holder(id), { owner: owner(1), heartbeat: 100 });
    });

    test("a lease expires after thirty seconds without a heartbeat", async () => {
      await using opened = await open();
      const { leases } = opened.store;
      const { id } = newSession();
      const lease = await hold(opened.store, id, 0);
      assert.equal(await leases.renew(lease, 10_000), true);
      const early = await leases.acquire(id, owner(2), 10_000 + leaseExpiryMs - 1, nobodyIsGone);
      assert.deepEqual(early, { busy: owner(1) });
      const late = await leases.acquire(id, owner(2), 10_000 + leaseExpiryMs, nobodyIsGone);
      assert.deepEqual(late, { lease: { session: id, epoch: 2 } });
      assert.equal(await leases.renew(lease, 50_000), false);
      assert.deepEqual(await leases.holder(id), { owner: owner(2), heartbeat: 10_000 + leaseExpiryMs });
    });

    test("a lease nobody else took can be renewed even after it expired", async () => {
      await using opened = await open();
      const lease = await hold(opened.store, newSession().id, 0);
      assert.equal(await opened.store.leases.renew(lease, 10 * leaseExpiryMs), true);
    });

    test("an owner that is gone is replaced at once", async () => {
      await using opened = await open();
      const { id } = newSession();
      await hold(opened.store, id, 0);
      const asked: unknown[] = [];
      const got = await opened.store.leases.acquire(id, owner(2), 1, (who) => asked.push(who) > 0);
      assert.deepEqual(got, { lease: { session: id, epoch: 2 } });
      assert.deepEqual(asked, [owner(1)]);
    });

    test("a released session is free, and its epoch stays counted", async () => {
      await using opened = await open();
      const { leases } = opened.store;
      const { id } = newSession();
      const first = await hold(opened.store, id);
      await leases.release(first);
      assert.equal(await leases.holder(id), undefined);
      assert.equal(await leases.renew(first, 5), false);
      const again = await (await opened.reopen()).leases.acquire(id, owner(2), 6, nobodyIsGone);
      assert.deepEqual(again, { lease: { session: id, epoch: 2 } });
    });

    test("an old holder's release does not touch the new one", async () => {
      await using opened = await open();
      const { leases } = opened.store;
      const { id } = newSession();
      const old = await hold(opened.store, id);
      await leases.acquire(id, owner(2), leaseExpiryMs, nobodyIsGone);
      await leases.release(old);
      assert.deepEqual((await leases.holder(id))?.owner, owner(2));
    });

    test("what only one may do has a lease by its name, apart from the sessions", async () => {
      await using opened = await open();
      const { leases, sessions } = opened.store;
      const session = newSession();
      await sessions.begin(session, 1);
      await hold(opened.store, session.id, 0);
      for (const duty of ["tick", "executor:h1", "executor:h2", "bot:5f3c"] as const) {
        assert.equal(await leases.dutyHolder(duty), undefined);
        const got = await leases.acquireDuty(duty, owner(1), 0, nobodyIsGone);
        assert.deepEqual(got, { lease: { duty, epoch: 1 } });
        assert.deepEqual(await leases.acquireDuty(duty, owner(2), 1, nobodyIsGone), { busy: owner(1) });
      }
      const tick = { duty: "tick", epoch: 1 } as const;
      assert.equal(await leases.renew(tick, 10_000), true);
      assert.deepEqual(await leases.dutyHolder("tick"), { owner: owner(1), heartbeat: 10_000 });
      const late = await leases.acquireDuty("tick", owner(2), 10_000 + leaseExpiryMs, nobodyIsGone);
      assert.deepEqual(late, { lease: { duty: "tick", epoch: 2 } });
      assert.equal(await leases.renew(tick, 50_000), false);
      await leases.release(tick);
      assert.deepEqual((await leases.dutyHolder("tick"))?.owner, owner(2));
      await sessions.delete(session.id);
      assert.equal(await leases.holder(session.id), undefined);
      assert.deepEqual((await leases.dutyHolder("bot:5f3c"))?.owner, owner(1));
    });

    test("of many who want it at once, one gets it", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const { id } = newSession();
      const got = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          stores[n % 2]!.leases.acquire(id, owner(n + 1), 1, nobodyIsGone),
        ),
      );
      assert.equal(got.filter((each) => "lease" in each).length, 1);
    });

    test("whatever happens, epochs only grow and at most one lease is living", async () => {
      await using opened = await open();
      const { leases } = opened.store;
      const step = fc.record({
        do: fc.constantFrom("acquire", "renew", "release"),
        later: fc.integer({ min: 0, max: leaseExpiryMs }),
        gone: fc.boolean(),
        whose: fc.nat({ max: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const { id } = newSession();
          const given: Lease[] = [];
          let now = 0;
          for (const { do: action, later, gone, whose } of steps) {
            now += later;
            const lease = given[whose];
            if (action === "acquire") {
              const got = await leases.acquire(id, owner(1), now, () => gone);
              if ("lease" in got) given.push(got.lease);
            }
            if (action === "renew" && lease) {
              if (await leases.renew(lease, now)) assert.equal(lease.epoch, given.length);
            }
            if (action === "release" && lease) await leases.release(lease);
          }
          assert.deepEqual(
            given.map(({ epoch }) => epoch),
            given.map((_, at) => at + 1),
          );
        }),
        { numRuns: 25 },
      );
    });
  });
}
