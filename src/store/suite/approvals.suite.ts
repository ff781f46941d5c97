import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { asId } from "../../core/ids.ts";
import type { StoredApproval } from "../../core/ledger.ts";
import { anyText } from "./any-text.suite.ts";
import { approval, decided, grant, question, yes } from "./asking-world.suite.ts";
import { type Open, owner, startTurn } from "./world.suite.ts";

const ids = (rows: readonly StoredApproval[]) => rows.map(({ id }) => id);

export function approvalTests(open: Open): void {
  describe("approvals", () => {
    test("a question comes back whole, also after a restart, with who waits for it", async () => {
      await using opened = await open();
      const row = approval(await startTurn(opened.store), {
        question: {
          ...question,
          reason: "the build needs it",
          action: {
            kind: "change",
            changes: [{ path: "/w/a", kind: "add", diff: "+a\n" }],
            root: "/w",
          },
          origin: { thread: "t", item: "i", request: "7", epoch: "e" },
        },
      });
      await opened.store.approvals.add(row, owner(3));
      const again = await opened.reopen();
      assert.deepEqual(await again.approvals.get(row.id), row);
      assert.deepEqual(await again.approvals.waiting(), [{ row, owner: owner(3) }]);
    });

    test("a row that was decided without a question is kept and waits for nobody", async () => {
      await using opened = await open();
      const { approvals } = opened.store;
      const row = decided(await startTurn(opened.store), "refused", {
        reason: "on the deny list",
        by: "policy",
      });
      await approvals.add(row, owner());
      assert.deepEqual(await approvals.get(row.id), row);
      assert.deepEqual(await approvals.waiting(), []);
      assert.equal(await approvals.resolve(row.id, yes()), false);
      assert.deepEqual(await approvals.get(row.id), row);
    });

    test("a row says when and why it was decided, or that it was not", async () => {
      await using opened = await open();
      const turn = await startTurn(opened.store);
      const { why: _, ...unexplained } = decided(turn, "allowed");
      const { decidedAt: __, ...undated } = decided(turn, "allowed");
      const wrong = [
        unexplained,
        undated,
        approval(turn, { decidedAt: 1 }),
        approval(turn, { why: "person" }),
      ];
      for (const row of wrong) await assert.rejects(opened.store.approvals.add(row, owner()), /CHECK/i);
      assert.deepEqual(await opened.store.approvals.list({ limit: 9 }), []);
    });

    test("it is decided once; what comes later changes nothing and grants nothing", async () => {
      await using opened = await open();
      const { approvals } = opened.store;
      const turn = await startTurn(opened.store);
      const row = approval(turn);
      await approvals.add(row, owner());
      const made = grant(turn.session);
      const first = yes({ state: "session", reason: "fine", at: 11, grant: made });
      assert.equal(await approvals.resolve(row.id, first), true);
      const after = { ...row, state: "session", why: "person", by: "ada", reason: "fine", decidedAt: 11 };
      assert.equal(await approvals.resolve(row.id, yes({ state: "always", grant: grant() })), false);
      assert.equal(await approvals.resolve(row.id, { state: "expired", why: "timeout", at: 12 }), false);
      assert.equal(await approvals.resolve(approval(turn).id, yes({ grant: grant() })), false);
      const again = await opened.reopen();
      assert.deepEqual(await again.approvals.get(row.id), after);
      assert.deepEqual(await again.grants.list({}), [made]);
    });

    test("how long it waits can change until it is decided", async () => {
      await using opened = await open();
      const { approvals } = opened.store;
      const row = approval(await startTurn(opened.store));
      await approvals.add(row, owner());
      await approvals.postpone(row.id, row.expiresAt + 5);
      assert.deepEqual(await approvals.get(row.id), { ...row, expiresAt: row.expiresAt + 5 });
      await approvals.resolve(row.id, yes());
      await approvals.postpone(row.id, row.expiresAt + 9);
      assert.equal((await (await opened.reopen()).approvals.get(row.id))?.expiresAt, row.expiresAt + 5);
    });

    test("without its grant a decision does not happen", async () => {
      await using opened = await open();
      const { approvals, grants } = opened.store;
      const row = approval(await startTurn(opened.store));
      await approvals.add(row, owner());
      const there = grant();
      await grants.add(there);
      await assert.rejects(approvals.resolve(row.id, yes({ state: "always", grant: there })));
      assert.deepEqual(await approvals.get(row.id), row);
    });

    test("of many who answer at once, one does", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const turn = await startTurn(opened.store);
      for (let round = 0; round < 5; round++) {
        const row = approval(turn);
        await opened.store.approvals.add(row, owner());
        const answers = Array.from({ length: 8 }, (_, n) =>
          stores[n % 2]!.approvals.resolve(
            row.id,
            yes({ by: `p${n}`, grant: grant(undefined, { by: `p${n}` }) }),
          ),
        );
        const took = await Promise.all(answers);
        assert.equal(took.filter(Boolean).length, 1);
        const by = `p${took.indexOf(true)}`;
        assert.equal((await stores[1]!.approvals.get(row.id))?.by, by);
        const made = await opened.store.grants.list({});
        assert.deepEqual([made.length, made[0]?.by], [round + 1, by]);
      }
    });

    test("another store sees the answer as soon as it is there", async () => {
      await using opened = await open();
      const other = await opened.another();
      const row = approval(await startTurn(opened.store));
      await opened.store.approvals.add(row, owner());
      assert.equal((await other.approvals.get(row.id))?.state, "pending");
      await other.approvals.resolve(row.id, yes({ state: "denied" }));
      assert.equal((await opened.store.approvals.get(row.id))?.state, "denied");
      assert.deepEqual(await opened.store.approvals.waiting(), []);
    });

    test("list gives the newest first, of one session or state if asked", async () => {
      await using opened = await open();
      const { approvals } = opened.store;
      const [one, other] = [await startTurn(opened.store), await startTurn(opened.store)];
      const rows = [
        approval(one, { askedAt: 90 }),
        approval(other),
        decided(one, "allowed", { askedAt: 1 }),
        approval(one),
      ];
      for (const row of rows) await approvals.add(row, owner());
      const [a, b, c, d] = ids(rows);
      const { session } = one;
      assert.deepEqual(ids(await approvals.list({ limit: 10 })), [d, c, b, a]);
      assert.deepEqual(ids(await approvals.list({ limit: 3 })), [d, c, b]);
      assert.deepEqual(ids(await approvals.list({ limit: 10, session })), [d, c, a]);
      assert.deepEqual(ids(await approvals.list({ limit: 10, state: "pending" })), [d, b, a]);
      assert.deepEqual(ids(await approvals.list({ limit: 10, session, state: "allowed" })), [c]);
      assert.deepEqual(await approvals.list({ limit: 10, state: "denied" }), []);
      assert.deepEqual(
        (await approvals.waiting()).map(({ row }) => row.id),
        [a, b, d],
        "those who wait longest first",
      );
    });

    test("find takes the beginning of an id, and nothing else for it", async () => {
      await using opened = await open();
      const { approvals } = opened.store;
      const turn = await startTurn(opened.store);
      for (let n = 10; n < 25; n++)
        await approvals.add(approval(turn, { id: asId<"apr">(`apr_a${n}`) }), owner());
      assert.deepEqual(ids(await approvals.find("apr_a12")), ["apr_a12"]);
      assert.equal((await approvals.find("apr_")).length, 10);
      assert.deepEqual((await approvals.find("apr_a2")).map((row) => row.id).slice(0, 2), [
        "apr_a24",
        "apr_a23",
      ]);
      for (const none of ["APR_A", "apr%", "pr_a", "apr_a123", "apr_a1_"])
        assert.deepEqual(await approvals.find(none), [], none);
    });

    test("an action that was asked about before is known in its session", async () => {
      await using opened = await open();
      const { approvals } = opened.store;
      const [one, other] = [await startTurn(opened.store), await startTurn(opened.store)];
      const asked = (hash: string) => approvals.askedBefore(one.session, hash);
      const first = approval(one, { hash: "h" });
      await approvals.add(first, owner());
      assert.equal(await asked("h"), undefined, "one that still waits is not an earlier one");
      await approvals.resolve(first.id, { state: "expired", why: "withdrawn", reason: "restart", at: 5 });
      assert.deepEqual(await asked("h"), await approvals.get(first.id));
      for (const state of ["allowed", "refused"] as const)
        await approvals.add(decided(one, state, { hash: "h" }), owner());
      await approvals.add(approval(one, { hash: "h" }), owner());
      assert.equal((await asked("h"))?.id, first.id, "nobody was asked in between");
      const second = approval(one, { hash: "h" });
      await approvals.add(second, owner());
      await approvals.resolve(second.id, yes({ state: "denied" }));
      assert.equal((await asked("h"))?.id, second.id, "the newest");
      assert.equal(await asked("H"), undefined);
      assert.equal(await approvals.askedBefore(other.session, "h"), undefined);
    });

    test("what a crash closed is told of once", async () => {
      await using opened = await open();
      const { store } = opened;
      const [one, other] = [await startTurn(store), await startTurn(store)];
      const [lost, elsewhere, answered] = [approval(one), approval(other), approval(one)];
      for (const row of [lost, elsewhere, answered]) await store.approvals.add(row, owner());
      assert.deepEqual(await store.approvals.takeUnreported(one.session), []);
      const crash = { state: "expired", why: "withdrawn", at: 5, tell: true } as const;
      await store.approvals.resolve(lost.id, crash);
      await store.approvals.resolve(elsewhere.id, crash);
      await store.approvals.resolve(answered.id, yes());
      const stores = [store, await opened.another()];
      const told = await Promise.all(stores.map((each) => each.approvals.takeUnreported(one.session)));
      assert.deepEqual(told.flat(), [{ ...lost, state: "expired", why: "withdrawn", decidedAt: 5 }]);
      assert.deepEqual(await store.approvals.takeUnreported(one.session), []);
      assert.deepEqual(ids(await store.approvals.takeUnreported(other.session)), [elsewhere.id]);
    });

    test("a deleted session takes its questions along, and no other ones", async () => {
      await using opened = await open();
      const { sessions, approvals } = opened.store;
      const [gone, kept] = [await startTurn(opened.store), await startTurn(opened.store)];
      const [waiting, closed, other] = [
        approval(gone),
        approval(gone, { hash: "h" }),
        approval(kept, { hash: "h" }),
      ];
      for (const row of [waiting, closed, other]) await approvals.add(row, owner());
      await approvals.resolve(closed.id, yes({ tell: true }));
      await sessions.delete(gone.session);
      assert.deepEqual(ids(await approvals.list({ limit: 9 })), [other.id]);
      assert.equal(await approvals.get(closed.id), undefined);
      assert.equal(await approvals.askedBefore(gone.session, "h"), undefined);
      assert.deepEqual(await approvals.takeUnreported(gone.session), []);
      assert.deepEqual(
        (await approvals.waiting()).map(({ row }) => row.id),
        [other.id],
      );
      assert.equal(
        await approvals.resolve(waiting.id, yes({ grant: grant() })),
        false,
        "an answer that is too late",
      );
      assert.deepEqual(await opened.store.grants.list({}), []);
      await assert.rejects(approvals.add(approval(gone), owner()), /FOREIGN KEY/i);
    });

    test("any text of a question comes back", async () => {
      await using opened = await open();
      const { approvals } = opened.store;
      const turn = await startTurn(opened.store);
      await fc.assert(
        fc.asyncProperty(anyText, async (words) => {
          const asked = {
            ...question,
            args: { [words]: [words, null] },
            summary: words,
            action: { kind: "command", command: words, fence: "unknown" },
          } as const;
          const row = approval(turn, { question: asked, shown: [words, words], labels: [words] });
          await approvals.add(row, owner());
          await approvals.resolve(row.id, yes({ by: words, reason: words }));
          const clean = words.toWellFormed().replaceAll("\0", "\ufffd");
          assert.deepEqual(await approvals.get(row.id), {
            ...row,
            state: "once",
            why: "person",
            by: clean,
            reason: clean,
            decidedAt: 9,
          });
        }),
        { numRuns: 20 },
      );
    });
  });
}
