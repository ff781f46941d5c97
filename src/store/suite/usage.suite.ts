import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import type { Usage } from "../../core/events.ts";
import { asId, newId } from "../../core/ids.ts";
import { type StoredUsage, dayMs, nothingSpent } from "../../core/usage.ts";
import {
  type Open,
  admission,
  done,
  newSession,
  nextTurn,
  nobodyIsGone,
  owner,
  said,
  startTurn,
} from "./world.suite.ts";

export const spent = { input: 100, cached: 40, output: 20, reasoning: 5 } as const;

export const cost = (also: Partial<StoredUsage> = {}): StoredUsage => ({
  at: 5,
  cause: "turn",
  runtime: "loop",
  provider: "mine",
  model: "m",
  ...spent,
  cost: 0.25,
  ...also,
});

const quietly = { replies: [], tell: false } as const;

export function usageTests(open: Open): void {
  describe("costs", () => {
    test("a turn's costs come with its end, once", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn, session } = await startTurn(store);
      const usage = [cost({ session, turn }), cost({ session, turn, provider: "other", cost: 1 })];
      assert.deepEqual(await store.usage.sum({}), nothingSpent);
      assert.equal(await store.turns.end(lease, turn, done, 5, { ...quietly, usage }), true);
      const whole = {
        ...nothingSpent,
        rows: 2,
        input: 200,
        cached: 80,
        output: 40,
        reasoning: 10,
        cost: 1.25,
      };
      assert.deepEqual(await store.usage.sum({}), whole);
      assert.equal(await store.turns.end(lease, turn, done, 6, { ...quietly, usage }), false);
      assert.deepEqual(await (await opened.reopen()).usage.sum({ session }), whole);
    });

    test("a turn that two processes end at once is in the ledger once", async () => {
      await using opened = await open();
      const { lease, turn, session } = await startTurn(opened.store);
      const stores = [opened.store, await opened.another()];
      const also = { ...quietly, usage: [cost({ session, turn })] };
      const ends = await Promise.all(
        Array.from({ length: 10 }, (_, n) => stores[n % 2]!.turns.end(lease, turn, done, 5, also)),
      );
      assert.equal(ends.filter(Boolean).length, 1);
      assert.equal((await opened.store.usage.sum({})).rows, 1);
    });

    test("a row says that a request of it was not counted", async () => {
      await using opened = await open();
      const { usage } = opened.store;
      await usage.add(cost({ cause: "compression" }));
      await usage.add(cost({ cause: "compression", uncounted: true }));
      assert.partialDeepStrictEqual(await usage.sum({}), { rows: 2, input: 200, uncounted: 1 });
    });

    test("an unknown cost is not 0, and does not hide the others", async () => {
      await using opened = await open();
      const { usage } = opened.store;
      const { cost: _known, ...unknown } = cost({ cause: "title_generation" });
      await usage.add(unknown);
      const none = await usage.sum({});
      assert.equal(none.cost, undefined);
      assert.equal(none.unpriced, 1);
      await usage.add(cost({ cause: "title_generation", cost: 0 }));
      assert.partialDeepStrictEqual(await usage.sum({}), { rows: 2, cost: 0, unpriced: 1 });
    });

    test("a row has for whom it was spent: of a turn, of a session, or nobody, whatever is deleted later", async () => {
      await using opened = await open();
      const { store } = opened;
      const from = { surface: "api", id: "key_1", role: "program", local: false } as const;
      const members = newSession({ audience: "members" });
      const { id: session } = members;
      const input = admission(members, { from });
      const claim = { owner: owner(), isGone: nobodyIsGone };
      const turn = newId("trn", 1);
      const begun = await store.turns.begin(claim, input, { id: turn, runtime: "loop" });
      assert.ok("lease" in begun);
      const { lease } = begun;
      await store.turns.end(lease, turn, done, 5, { ...quietly, usage: [cost({ session, turn })] });
      await store.usage.add(cost({ session, cause: "title_generation" }));
      await store.usage.add(cost({ cause: "approval" }));
      const own = await startTurn(store);
      const usage = [cost({ session: own.session, turn: own.turn })];
      await store.turns.end(own.lease, own.turn, done, 5, { ...quietly, usage });
      const roles = async () =>
        (await store.usage.groups({})).map(({ cause, role, rows }) => [cause, role, rows]);
      const expected = [
        ["approval", undefined, 1],
        ["title_generation", "program", 1],
        ["turn", "owner", 1],
        ["turn", "program", 1],
      ];
      assert.deepEqual(await roles(), expected);
      await store.sessions.delete(session);
      assert.deepEqual(await roles(), expected);
    });

    test("sums are by session and time, groups by day, model and cause", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session } = await startTurn(store);
      await store.usage.add(cost({ session, at: dayMs - 1, cause: "compression" }));
      await store.usage.add(cost({ session, at: dayMs, cause: "compression", model: "a" }));
      await store.usage.add(cost({ at: dayMs + 5, cause: "approval" }));
      await store.usage.add(cost({ at: 2 * dayMs - 1, cause: "approval" }));
      assert.equal((await store.usage.sum({ session })).rows, 2);
      assert.equal((await store.usage.sum({ from: dayMs })).rows, 3);
      assert.equal((await store.usage.sum({ session, from: dayMs })).rows, 1);
      assert.equal((await store.usage.sum({ session: asId<"ses">("ses_none") })).rows, 0);
      const groups = await store.usage.groups({});
      assert.deepEqual(
        groups.map(({ day, provider, model, cause, rows }) => [day, provider, model, cause, rows]),
        [
          ["1970-01-01", "mine", "m", "compression", 1],
          ["1970-01-02", "mine", "a", "compression", 1],
          ["1970-01-02", "mine", "m", "approval", 2],
        ],
      );
      assert.partialDeepStrictEqual(groups[2], { input: 200, output: 40, cost: 0.5, unpriced: 0 });
    });

    test("what a session has others do for it is its own cost, and theirs", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session } = await startTurn(store);
      const parts = [newSession({ parent: session }), newSession({ parent: session })];
      for (const part of parts) await store.inbox.admit(admission(part));
      for (const of of [session, ...parts.map(({ id }) => id)])
        await store.usage.add(cost({ session: of, cause: "compression" }));
      await store.usage.add(cost({ cause: "approval" }));
      assert.partialDeepStrictEqual(await store.usage.sum({ session }), { rows: 3, cost: 0.75 });
      assert.partialDeepStrictEqual(await store.usage.groups({ session }), [{ rows: 3 }]);
      assert.equal((await store.usage.sum({ session, from: 6 })).rows, 0);
      for (const { id } of parts) assert.equal((await store.usage.sum({ session: id })).rows, 1);
    });

    test("a deleted session leaves its costs behind, without its name", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn, session } = await startTurn(store);
      const usage = [cost({ session, turn })];
      await store.turns.end(lease, turn, done, 5, { ...quietly, usage });
      await store.usage.add(cost({ session, cause: "title_generation" }));
      await store.sessions.delete(session);
      assert.equal((await store.usage.sum({ session })).rows, 0);
      assert.partialDeepStrictEqual(await store.usage.sum({}), { rows: 2, cost: 0.5 });
    });

    test("a small call whose session is gone meanwhile is in the ledger too", async () => {
      await using opened = await open();
      const { usage } = opened.store;
      await usage.add(cost({ session: asId<"ses">("ses_gone"), cause: "title_generation" }));
      assert.equal((await usage.sum({})).rows, 1);
    });

    test("numbers that cannot be never enter", async () => {
      await using opened = await open();
      const { usage } = opened.store;
      const nonsense = fc.oneof(
        fc.double(),
        fc.integer(),
        fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300, -0, 0.5),
      );
      const row = fc.record({
        input: nonsense,
        cached: nonsense,
        output: nonsense,
        reasoning: nonsense,
        cost: nonsense,
      });
      let before = await usage.sum({});
      await fc.assert(
        fc.asyncProperty(row, async (numbers) => {
          await usage.add(cost({ cause: "vision", ...numbers }));
          const now = await usage.sum({});
          assert.equal(now.rows, before.rows + 1);
          for (const key of ["input", "cached", "output", "reasoning"] as const) {
            assert.ok(Number.isSafeInteger(now[key]) && now[key] >= before[key], `${key}: ${now[key]}`);
          }
          assert.ok(now.cached <= now.input && now.reasoning <= now.output);
          assert.ok((now.cost ?? 0) >= (before.cost ?? 0) && Number.isFinite(now.cost ?? 0));
          before = now;
        }),
        { numRuns: 60 },
      );
    });

    test("what a turn has used so far is kept with its items", async () => {
      await using opened = await open();
      const { store } = opened;
      const first = await startTurn(store);
      const used: Usage = { ...spent, context: { used: 120 } };
      await store.turns.keep(first.lease, first.turn, said("a"), [], 1, used);
      await store.turns.keep(first.lease, first.turn, said("b"), [], 2);
      const again = await opened.reopen();
      assert.deepEqual((await again.turns.listOpen())[0]?.usage, used);
      await again.turns.end(first.lease, first.turn, { ...done, usage: used }, 3, quietly);
      const second = await nextTurn(again, first.lease, "again");
      await again.turns.keep(second.lease, second.turn, said("a"), [], 4);
      assert.equal((await again.turns.listOpen())[0]?.usage, undefined);
    });
  });
}
