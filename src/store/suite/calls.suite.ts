import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BegunCall, CallHead } from "../../core/items.ts";
import { StaleLeaseError } from "../store.ts";
import { approval, decided, yes } from "./asking-world.suite.ts";
import { type Open, type OpenedTurn, done, everything, item, owner, said, startTurn } from "./world.suite.ts";

const head = (id: string): CallHead => ({
  id: item(id),
  callId: `call_${id}`,
  tool: "terminal",
  args: { command: "make \0 install" },
});

export const call = ({ session, turn, lease }: OpenedTurn, id = "one"): BegunCall => ({
  ...head(id),
  session,
  turn,
  epoch: lease.epoch,
});

export function callTests(open: Open): void {
  describe("begun calls", () => {
    test("are open from their begin until their item is kept, in their order, also after a restart", async () => {
      await using opened = await open();
      const turn = await startTurn(opened.store);
      await opened.store.calls.begin(call(turn, "one"), 1);
      await opened.store.calls.begin(call(turn, "two"), 2);
      await opened.store.calls.begin(call(turn, "two"), 3);
      const store = await opened.reopen();
      assert.deepEqual(await store.calls.open(turn.turn), [
        { ...head("one"), mayHaveRun: true },
        { ...head("two"), mayHaveRun: true },
      ]);
      const result = { ...head("one"), kind: "call", output: "", ok: true } as const;
      assert.equal(await store.turns.keep(turn.lease, turn.turn, result, [], 4), true);
      assert.equal(await store.turns.keep(turn.lease, turn.turn, said("two"), [], 5), true);
      assert.deepEqual(await store.calls.open(turn.turn), [{ ...head("two"), mayHaveRun: true }]);
      const other = await startTurn(store);
      assert.deepEqual(await store.calls.open(other.turn), []);
    });

    test("that ask have begun once somebody or something says yes", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store);
      const asked = approval(turn);
      const refused = approval(turn);
      await store.approvals.add(asked, owner(), call(turn, "asked"));
      await store.approvals.add(refused, owner(), call(turn, "refused"));
      await store.approvals.add(decided(turn, "allowed"), owner(), call(turn, "allowed"));
      const begun = async (): Promise<unknown> =>
        (await store.calls.open(turn.turn)).map(({ id, mayHaveRun }) => [id, mayHaveRun]);
      assert.deepEqual(await begun(), [
        ["asked", false],
        ["refused", false],
        ["allowed", true],
      ]);
      await store.approvals.resolve(asked.id, yes());
      await store.approvals.resolve(refused.id, yes({ state: "denied" }));
      assert.deepEqual(await begun(), [
        ["asked", true],
        ["refused", false],
        ["allowed", true],
      ]);
      await store.approvals.add(decided(turn, "allowed"), owner(), call(turn, "refused"));
      assert.deepEqual((await store.calls.open(turn.turn))[1]?.mayHaveRun, true, "asked again");
    });

    test("are not begun again by a question that comes after their item, nor when their turn is over", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store);
      const result = { ...head("one"), kind: "call", output: "", ok: false } as const;
      await store.turns.keep(turn.lease, turn.turn, result, [], 1);
      await store.approvals.add(approval(turn), owner(), call(turn, "one"));
      await store.calls.begin(call(turn, "one"), 2);
      assert.deepEqual(await store.calls.open(turn.turn), []);
      await store.turns.end(turn.lease, turn.turn, done, 3, { replies: [], tell: false });
      await store.calls.begin(call(turn, "two"), 4);
      assert.deepEqual(await store.calls.open(turn.turn), []);
    });

    test("are not begun by who has no lease any more, and then nothing was decided", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store);
      await store.leases.acquire(turn.session, owner(2), 1, () => true);
      const before = await everything(store);
      await assert.rejects(store.calls.begin(call(turn), 1), StaleLeaseError);
      await assert.rejects(store.approvals.add(approval(turn), owner(), call(turn)), StaleLeaseError);
      assert.deepEqual(await everything(store), before);
      assert.deepEqual(await store.calls.open(turn.turn), []);
    });

    test("go with their session", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store);
      await store.calls.begin(call(turn), 1);
      await store.turns.end(turn.lease, turn.turn, done, 2, { replies: [], tell: false });
      assert.equal(await store.sessions.delete(turn.session), true);
      assert.deepEqual(await store.calls.open(turn.turn), []);
    });
  });
}
