import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { type SessionId, type TurnId, asId } from "../../core/ids.ts";
import { type Lease, StaleLeaseError, type Store } from "../store.ts";
import {
  type Open,
  type OpenedTurn,
  done,
  hold,
  newSession,
  nextTurn,
  nobodyIsGone,
  owner,
  say,
  startTurn,
} from "./world.suite.ts";

const end = (store: Store, { lease, turn }: OpenedTurn) =>
  store.turns.end(lease, turn, done, 5, { replies: [], tell: false });

/** A session with this many ended turns. */
export async function spoken(store: Store, count: number, session: Parameters<typeof newSession>[0] = {}) {
  const first = await startTurn(store, "hello 1", session);
  const turns = [first];
  await say(store, first, "answer 1");
  await end(store, first);
  for (let n = 2; n <= count; n++) turns.push(await more(store, first.lease, n));
  return { ...first, turns: turns.map(({ turn }) => turn) };
}

async function more(store: Store, lease: Lease, n: number): Promise<OpenedTurn> {
  const next = await nextTurn(store, lease, `hello ${n}`);
  await say(store, next, `answer ${n}`);
  await end(store, next);
  return next;
}

async function undone(store: Store, session: SessionId): Promise<readonly TurnId[]> {
  return (await store.sessions.turns(session)).filter((turn) => turn.undone).map(({ id }) => id);
}

const idsOf = (turns: Awaited<ReturnType<Store["turns"]["redo"]>>): readonly TurnId[] | string =>
  typeof turns === "string" ? turns : turns.map(({ id }) => id);

export const undoTests = (open: Open): void => {
  describe("undo", () => {
    test("marks turns and removes nothing but the bindings of their session", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turns } = await spoken(store, 3);
      const other = await startTurn(store);
      for (const cwd of ["/work", "/else"]) await store.bindings.save(lease, "codex", cwd, "t");
      await store.bindings.save(lease, "loop", "/work", "l");
      await store.bindings.save(other.lease, "codex", "/work", "theirs");
      const rows = await store.sessions.messages(session);
      const before = await store.sessions.turns(session);
      await store.turns.undo(lease, turns.slice(1));

      const again = await opened.reopen();
      assert.deepEqual(
        await again.sessions.turns(session),
        before.map((turn, at) => (at === 0 ? turn : { ...turn, undone: true })),
      );
      assert.deepEqual(await again.sessions.messages(session), rows);
      assert.equal((await again.search({ text: "answer", limit: 9, session })).length, 3);
      for (const cwd of ["/work", "/else"]) {
        assert.equal(await again.bindings.load(session, "codex", cwd), undefined);
      }
      assert.equal(await again.bindings.load(session, "loop", "/work"), undefined);
      assert.equal(await again.bindings.load(other.session, "codex", "/work"), "theirs");
    });

    test("is refused as a whole for what is not an ended turn of the session that holds", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turns } = await spoken(store, 2);
      await store.turns.undo(lease, turns.slice(1));
      const theirs = await spoken(store, 1);
      const running = await nextTurn(store, lease, "still open");
      const [first = asId<"trn">("")] = turns;
      for (const wrong of [...turns.slice(1), ...theirs.turns, running.turn, asId<"trn">("trn_none")]) {
        await assert.rejects(store.turns.undo(lease, [first, wrong]), /not all of/);
      }
      assert.deepEqual(await undone(store, session), turns.slice(1));
    });

    test("of somebody who has lost the session is refused, and so is redo", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turns } = await spoken(store, 2);
      await store.turns.undo(lease, turns.slice(1));
      await store.leases.acquire(session, owner(2), 90_000, nobodyIsGone);
      await assert.rejects(store.turns.undo(lease, turns.slice(0, 1)), StaleLeaseError);
      await assert.rejects(store.turns.redo(lease), StaleLeaseError);
      assert.deepEqual(await undone(store, session), turns.slice(1));
    });

    test("of the first turn gives the session the preview of the first that holds", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turns } = await spoken(store, 1);
      const preview = async () =>
        (await store.sessions.list({ limit: 9 })).find(({ id }) => id === session)?.preview;
      assert.equal(await preview(), "hello 1");
      await store.turns.undo(lease, turns);
      assert.equal(await preview(), undefined);
      await more(store, lease, 2);
      assert.equal(await preview(), "hello 2");
    });
  });

  describe("redo", () => {
    test("takes back one undo after the other, each as a whole, and the bindings with it", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turns } = await spoken(store, 4);
      const before = await store.sessions.turns(session);
      await store.turns.undo(lease, turns.slice(3));
      await store.turns.undo(lease, turns.slice(1, 3));
      await store.bindings.save(lease, "codex", "/work", "t");
      const back = await store.turns.redo(lease);
      assert.deepEqual(back, before.slice(1, 3));
      assert.equal(await store.bindings.load(session, "codex", "/work"), undefined);
      assert.deepEqual(await undone(store, session), turns.slice(3));
      assert.deepEqual(idsOf(await store.turns.redo(lease)), turns.slice(3));
      assert.deepEqual(await store.sessions.turns(session), before);
      assert.equal(await store.turns.redo(lease), "none");
    });

    test("does nothing once a turn was opened, also when that one was taken back and has come back", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turns } = await spoken(store, 2);
      await store.turns.undo(lease, turns.slice(1));
      const next = await nextTurn(store, lease, "on");
      await store.bindings.save(lease, "codex", "/work", "t");
      assert.equal(await store.turns.redo(lease), "since");
      await end(store, next);
      assert.equal(await store.turns.redo(lease), "since");
      assert.equal(await store.bindings.load(session, "codex", "/work"), "t");
      await store.turns.undo(lease, [next.turn]);
      assert.deepEqual(idsOf(await store.turns.redo(lease)), [next.turn]);
      assert.equal(await store.turns.redo(lease), "since");
      assert.deepEqual(await undone(store, session), turns.slice(1));
    });

    test("is what a stack of undos that a turn empties would do, whatever is done", async () => {
      await using opened = await open();
      const { store } = opened;
      const doings = fc.array(fc.oneof(fc.constantFrom("turn", "redo"), fc.integer({ min: 1, max: 3 })), {
        maxLength: 9,
      });
      await fc.assert(
        fc.asyncProperty(doings, async (list) => {
          const session = newSession();
          const lease = await hold(store, session.id);
          let held: readonly TurnId[] = [];
          let undos: (readonly TurnId[])[] = [];
          for (const what of list) {
            if (what === "turn") {
              const turn = await nextTurn(store, lease, "on", session);
              await end(store, turn);
              held = [...held, turn.turn];
              undos = undos.map(() => []);
            } else if (what === "redo") {
              const last = undos.pop();
              const expected = last === undefined ? "none" : last.length === 0 ? "since" : last;
              if (last?.length === 0) undos.push(last);
              assert.deepEqual(idsOf(await store.turns.redo(lease)), expected);
              held = [...held, ...(last ?? [])];
            } else if (what <= held.length) {
              const last = held.slice(-what);
              await store.turns.undo(lease, last);
              held = held.slice(0, -what);
              undos.push(last);
            }
          }
          const kept = (await store.sessions.turns(session.id)).filter((turn) => !turn.undone);
          assert.deepEqual(
            kept.map(({ id }) => id),
            held,
          );
        }),
        { numRuns: 25 },
      );
    });
  });
};
