import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type SessionId, asId } from "../../core/ids.ts";
import type { StoredGrant } from "../../core/ledger.ts";
import { grant } from "./asking-world.suite.ts";
import { grantModelTests } from "./grants-model.suite.ts";
import { type Open, startTurn } from "./world.suite.ts";

const ids = (grants: readonly StoredGrant[]) => grants.map(({ id }) => id);

export function grantTests(open: Open): void {
  describe("grants", () => {
    test("a grant comes back whole, also after a restart", async () => {
      await using opened = await open();
      const { session } = await startTurn(opened.store);
      const plain = grant();
      const full = grant(session, { scope: "work", expiresAt: 9, left: 3, revokedAt: 4 });
      await opened.store.grants.add(plain);
      await opened.store.grants.add(full);
      assert.deepEqual(await (await opened.reopen()).grants.list({}), [full, plain]);
    });

    test("it answers for exactly its action, in its session, until it expires or is revoked", async () => {
      await using opened = await open();
      const { grants } = opened.store;
      const [one, other] = [await startTurn(opened.store), await startTurn(opened.store)];
      const made = grant(one.session, { expiresAt: 100 });
      await grants.add(made);
      const use = (session: SessionId, at: number, hash = "hash") => grants.use({ hash, session, at });
      assert.deepEqual(await use(one.session, 99), made);
      assert.equal(await use(one.session, 100), undefined, "expired");
      assert.equal(await use(one.session, 99, "Hash"), undefined);
      assert.equal(await use(other.session, 99), undefined);
      assert.equal(await grants.revoke(made.id, 50), true);
      assert.equal(await use(one.session, 99), undefined);
      assert.deepEqual(await grants.list({}), [{ ...made, revokedAt: 50 }], "and it stays on record");
    });

    test("one that is tied to files holds for these as they were, and one that is not holds for none", async () => {
      await using opened = await open();
      const { grants } = opened.store;
      const { session } = await startTurn(opened.store);
      const bound = { "/usr/bin/touch": "a", "/home/me/.profile": "b" };
      const tied = grant(undefined, { bound });
      await grants.add(tied);
      const use = (now?: StoredGrant["bound"]) =>
        grants.use({ hash: "hash", session, at: 1, ...(now === undefined ? {} : { bound: now }) });
      assert.deepEqual(await use({ "/home/me/.profile": "b", "/usr/bin/touch": "a" }), tied, "in any order");
      assert.equal(await use({ ...bound, "/usr/bin/touch": "c" }), undefined);
      assert.equal(await use({ "/usr/bin/touch": "a" }), undefined);
      assert.equal(await use({}), undefined);
      assert.equal(await use(), undefined);
      await grants.add(grant(undefined, { hash: "old" }));
      assert.equal(await grants.use({ hash: "old", session, at: 1, bound: {} }), undefined);
      assert.deepEqual(ids(await grants.list({ hash: "hash" })), [tied.id]);
    });

    test("with a scope only one of that scope answers", async () => {
      await using opened = await open();
      const { grants } = opened.store;
      const { session } = await startTurn(opened.store);
      await grants.add(grant());
      const action = { hash: "hash", session, at: 1, scope: "work" } as const;
      assert.equal(await grants.use(action), undefined);
      const work = grant(session, { scope: "work" });
      await grants.add(work);
      assert.deepEqual(await grants.use(action), work);
    });

    test("one that is always good is good in every session; one for work only in its own", async () => {
      await using opened = await open();
      const { grants } = opened.store;
      const [one, other] = [await startTurn(opened.store), await startTurn(opened.store)];
      const [always, work] = [grant(), grant(one.session, { scope: "work", hash: "work" })];
      await grants.add(always);
      await grants.add(work);
      assert.deepEqual(await grants.use({ hash: "hash", session: other.session, at: 1 }), always);
      assert.deepEqual(await grants.use({ hash: "work", session: one.session, at: 1 }), work);
      assert.equal(await grants.use({ hash: "work", session: other.session, at: 1 }), undefined);
    });

    test("the session's own goes first, then always, then work; without a limit before with one", async () => {
      await using opened = await open();
      const { grants } = opened.store;
      const { session } = await startTurn(opened.store);
      const order = [
        grant(session),
        grant(session, { left: 1 }),
        grant(),
        grant(undefined, { left: 1 }),
        grant(session, { scope: "work" }),
        grant(session, { scope: "work", left: 1 }),
      ];
      for (const each of order.toReversed()) await grants.add(each);
      for (const each of order) {
        assert.equal((await grants.use({ hash: "hash", session, at: 1 }))?.id, each.id);
        await grants.revoke(each.id, 1);
      }
      assert.equal(await grants.use({ hash: "hash", session, at: 1 }), undefined);
    });

    test("one with a number of uses is used that often", async () => {
      await using opened = await open();
      const { session } = await startTurn(opened.store);
      const made = grant(session, { scope: "work", left: 2 });
      await opened.store.grants.add(made);
      const use = () => opened.store.grants.use({ hash: "hash", session, at: 1 });
      assert.deepEqual(await use(), { ...made, left: 1 });
      assert.deepEqual(await use(), { ...made, left: 0 });
      assert.equal(await use(), undefined);
      assert.deepEqual(await opened.store.grants.list({}), [{ ...made, left: 0 }]);
      assert.deepEqual(await opened.store.grants.list({ at: 1 }), []);
    });

    test("of many who use it at once, as many as it has uses do", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const { session } = await startTurn(opened.store);
      for (const left of [1, 3]) {
        const hash = `left ${left}`;
        await opened.store.grants.add(grant(session, { hash, left }));
        const uses = await Promise.all(
          Array.from({ length: 10 }, (_, n) => stores[n % 2]!.grants.use({ hash, session, at: 1 })),
        );
        const rest = uses.flatMap((used) => (used === undefined ? [] : [used.left]));
        assert.deepEqual(
          rest.toSorted(),
          Array.from({ length: left }, (_, n) => n),
        );
      }
    });

    test("a use that loses the last one to somebody else takes the next grant", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const { session } = await startTurn(opened.store);
      const pair = [grant(session, { left: 1 }), grant(undefined, { left: 1 })];
      for (const each of pair) await opened.store.grants.add(each);
      const used = await Promise.all(
        stores.map(({ grants }) => grants.use({ hash: "hash", session, at: 1 })),
      );
      assert.deepEqual(new Set(used.map((each) => each?.id)), new Set(ids(pair)));
    });

    test("it is revoked once", async () => {
      await using opened = await open();
      const made = grant();
      await opened.store.grants.add(made);
      const stores = [opened.store, await opened.another()];
      const revoked = await Promise.all(stores.map(({ grants }, n) => grants.revoke(made.id, n)));
      assert.deepEqual(revoked.toSorted(), [false, true]);
      assert.equal((await opened.store.grants.list({}))[0]?.revokedAt, revoked.indexOf(true));
      assert.equal(await opened.store.grants.revoke(grant().id, 1), false);
    });

    test("list gives the newest first, those of a session or those that hold if asked", async () => {
      await using opened = await open();
      const { grants } = opened.store;
      const { session } = await startTurn(opened.store);
      const made = [grant(session, { expiresAt: 10 }), grant(), grant(session, { left: 0 }), grant(session)];
      for (const each of made) await grants.add(each);
      const [a, b, c, d] = ids(made);
      assert.deepEqual(ids(await grants.list({})), [d, c, b, a]);
      assert.deepEqual(ids(await grants.list({ session })), [d, c, a]);
      assert.deepEqual(ids(await grants.list({ at: 9 })), [d, b, a]);
      assert.deepEqual(ids(await grants.list({ at: 10, session })), [d]);
      await grants.revoke(made[3]!.id, 1);
      assert.deepEqual(ids(await grants.list({ at: 9 })), [b, a]);
    });

    test("find takes the beginning of an id, and nothing else for it", async () => {
      await using opened = await open();
      const { grants } = opened.store;
      for (let n = 10; n < 22; n++) await grants.add(grant(undefined, { id: asId<"grn">(`grn_a${n}`) }));
      assert.deepEqual(ids(await grants.find("grn_a2")), ["grn_a21", "grn_a20"]);
      assert.equal((await grants.find("grn_")).length, 10);
      for (const none of ["GRN", "grn%", "rn_", "grn_a1_"]) assert.deepEqual(await grants.find(none), []);
    });

    test("a deleted session takes its grants along; what is always good stays", async () => {
      await using opened = await open();
      const { grants, sessions } = opened.store;
      const [gone, kept] = [await startTurn(opened.store), await startTurn(opened.store)];
      const always = grant(undefined, { hash: "always" });
      const other = grant(kept.session);
      const lost = [grant(gone.session), grant(gone.session, { scope: "work" })];
      for (const each of [always, other, ...lost]) await grants.add(each);
      await sessions.delete(gone.session);
      assert.deepEqual(await grants.list({}), [other, always]);
      assert.equal(await grants.use({ hash: "hash", session: gone.session, at: 1 }), undefined);
      await assert.rejects(grants.add(grant(gone.session)), /FOREIGN KEY/i);
    });

    test("only what is always good has no session", async () => {
      await using opened = await open();
      const { session } = await startTurn(opened.store);
      const wrong = [
        grant(session, { scope: "always" }),
        grant(undefined, { scope: "session" }),
        grant(undefined, { scope: "work" }),
      ];
      for (const each of wrong) await assert.rejects(opened.store.grants.add(each), /CHECK/i);
    });

    grantModelTests(open);
  });
}
