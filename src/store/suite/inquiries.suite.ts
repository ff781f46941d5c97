import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { anyText } from "./any-text.suite.ts";
import { inquiry } from "./asking-world.suite.ts";
import { type Open, owner, startTurn } from "./world.suite.ts";

export function inquiryTests(open: Open): void {
  describe("inquiries", () => {
    test("a form comes back whole, also after a restart, with who waits for it", async () => {
      await using opened = await open();
      const row = inquiry(await startTurn(opened.store));
      await opened.store.inquiries.add(row, owner(4));
      const again = await opened.reopen();
      assert.deepEqual(await again.inquiries.get(row.id), row);
      assert.deepEqual(await again.inquiries.waiting(), [{ row, owner: owner(4) }]);
      assert.equal(await again.inquiries.get(inquiry(row).id), undefined);
    });

    test("it is closed once, with its answers if there are any", async () => {
      await using opened = await open();
      const { inquiries } = opened.store;
      const turn = await startTurn(opened.store);
      const [answered, expired] = [inquiry(turn), inquiry(turn)];
      for (const row of [answered, expired]) await inquiries.add(row, owner());
      const answers = { which: "a" };
      const answer = { state: "answered", answers, by: "ada", at: 5 } as const;
      assert.equal(await inquiries.resolve(answered.id, answer), true);
      assert.equal(await inquiries.resolve(answered.id, { state: "declined", at: 6 }), false);
      assert.equal(await inquiries.resolve(expired.id, { state: "expired", at: 7 }), true);
      assert.equal(await inquiries.resolve(expired.id, answer), false);
      assert.equal(await inquiries.resolve(inquiry(turn).id, answer), false);
      const again = (await opened.reopen()).inquiries;
      const closed = { ...answered, state: "answered", answers, by: "ada", decidedAt: 5 };
      assert.deepEqual(await again.get(answered.id), closed);
      assert.deepEqual(await again.get(expired.id), { ...expired, state: "expired", decidedAt: 7 });
      assert.deepEqual(await again.waiting(), []);
    });

    test("how long it waits can change until it is closed", async () => {
      await using opened = await open();
      const { inquiries } = opened.store;
      const row = inquiry(await startTurn(opened.store));
      await inquiries.add(row, owner());
      await inquiries.postpone(row.id, row.expiresAt + 5);
      assert.deepEqual(await inquiries.get(row.id), { ...row, expiresAt: row.expiresAt + 5 });
      await inquiries.resolve(row.id, { state: "declined", at: 7 });
      await inquiries.postpone(row.id, row.expiresAt + 9);
      assert.equal((await (await opened.reopen()).inquiries.get(row.id))?.expiresAt, row.expiresAt + 5);
    });

    test("only an answer has answers", async () => {
      await using opened = await open();
      const { inquiries } = opened.store;
      const row = inquiry(await startTurn(opened.store));
      await inquiries.add(row, owner());
      await assert.rejects(inquiries.resolve(row.id, { state: "answered", at: 5 }), /CHECK/i);
      await assert.rejects(inquiries.resolve(row.id, { state: "declined", answers: {}, at: 5 }), /CHECK/i);
      assert.deepEqual(await inquiries.get(row.id), row);
    });

    test("of two who answer at once, one does", async () => {
      await using opened = await open();
      const row = inquiry(await startTurn(opened.store));
      await opened.store.inquiries.add(row, owner());
      const stores = [opened.store, await opened.another()];
      const took = await Promise.all(
        stores.map((store, n) =>
          store.inquiries.resolve(row.id, { state: "answered", answers: { which: String(n) }, at: 1 }),
        ),
      );
      assert.equal(took.filter(Boolean).length, 1);
      const answers = { which: String(took.indexOf(true)) };
      assert.deepEqual((await opened.store.inquiries.get(row.id))?.answers, answers);
    });

    test("those who wait longest come first, and a deleted session waits no more", async () => {
      await using opened = await open();
      const { inquiries, sessions } = opened.store;
      const [gone, kept] = [await startTurn(opened.store), await startTurn(opened.store)];
      const rows = [inquiry(kept), inquiry(gone), inquiry(kept)];
      for (const row of rows) await inquiries.add(row, owner());
      const waiting = async () => (await inquiries.waiting()).map(({ row }) => row);
      assert.deepEqual(await waiting(), rows);
      await sessions.delete(gone.session);
      assert.deepEqual(await waiting(), [rows[0], rows[2]]);
      const late = { state: "answered", answers: {}, at: 1 } as const;
      assert.equal(await inquiries.resolve(rows[1]!.id, late), false);
      await assert.rejects(inquiries.add(inquiry(gone), owner()), /FOREIGN KEY/i);
    });

    test("any text of a form and its answers comes back", async () => {
      await using opened = await open();
      const { inquiries } = opened.store;
      const turn = await startTurn(opened.store);
      await fc.assert(
        fc.asyncProperty(anyText, async (words) => {
          const form = { title: words, fields: [{ name: words, label: words, options: [words] }] };
          const row = inquiry(turn, { form });
          await inquiries.add(row, owner());
          const answers = { [words]: words };
          await inquiries.resolve(row.id, { state: "answered", answers, at: 1 });
          assert.deepEqual(await inquiries.get(row.id), { ...row, state: "answered", answers, decidedAt: 1 });
        }),
        { numRuns: 30 },
      );
    });
  });
}
