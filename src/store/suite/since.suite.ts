import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TurnId } from "../../core/ids.ts";
import type { Lease, Store } from "../store.ts";
import { compaction } from "./compactions.suite.ts";
import { spoken } from "./undo.suite.ts";
import { type Open, hold, nextTurn, said, say } from "./world.suite.ts";

export const sinceTests = (open: Open): void => {
  describe("what came since a mark", () => {
    test("is the turns after it with their rows, as they are read with all the others", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turns, mark } = await marked(store);
      const [more] = [await nextTurn(store, lease, "hello 4")];
      await say(store, more, "and", "more");
      const since = await store.sessions.since(session, mark);
      const rows = await store.sessions.messages(session, { from: turns[1] as TurnId });
      assert.deepEqual(since?.turns, await store.sessions.turns(session, mark.turn));
      assert.deepEqual(since?.messages, rows);
      assert.equal(rows.length, 7);
    });

    test("is not told when something older has changed, nor when nobody can say", async () => {
      const changes: readonly ((store: Store, lease: Lease, turns: readonly TurnId[]) => Promise<unknown>)[] =
        [
          (store, lease, turns) => store.turns.undo(lease, turns.slice(2)),
          async (store, lease, turns) => {
            await store.turns.undo(lease, turns.slice(2));
            await store.turns.redo(lease);
          },
          (store, lease) => store.compactions.add(lease, compaction()),
          (store, lease, [first]) => store.turns.keep(lease, first as TurnId, said("late"), [], 9),
          (store) => store.events.prune({ since: 0, events: 1 }, 1000),
        ];
      for (const change of changes) {
        await using opened = await open();
        const { store } = opened;
        const { session, lease, turns, mark } = await marked(store);
        assert.equal((await store.sessions.since(session, mark))?.turns.length, 2);
        await change(store, lease, turns);
        assert.equal(await store.sessions.since(session, mark), undefined, change.toString());
      }
    });
  });
};

/** A session with three turns, read up to the end of the first one. */
async function marked(store: Store) {
  const { session, turns } = await spoken(store, 1);
  const { to } = await store.events.extent({ session });
  const lease = await hold(store, session, 1_000_000);
  for (const words of ["hello 2", "hello 3"]) {
    const next = await nextTurn(store, lease, words);
    await say(store, next, `answer to ${words}`);
    const ended = { type: "ended", outcome: "done", text: "", calls: 0 } as const;
    await store.turns.end(lease, next.turn, ended, 9, { replies: [], tell: false });
  }
  const all = (await store.sessions.turns(session)).map(({ id }) => id);
  return { session, lease, turns: all, mark: { turn: turns[0] as TurnId, events: to } };
}
