import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SessionId, TurnId } from "../../core/ids.ts";
import { messageText } from "../../core/messages.ts";
import type { StoredMessage } from "../../core/session.ts";
import type { Store } from "../store.ts";
import { compaction } from "./compactions.suite.ts";
import { spoken } from "./undo.suite.ts";
import { type Open, done, newSession, nextTurn, say, startTurn } from "./world.suite.ts";

const words = (rows: readonly StoredMessage[]): readonly string[] =>
  rows.map(({ message }) => messageText(message));

async function given(store: Store, session: SessionId) {
  const { turns, messages, compactions } = await store.sessions.given(session);
  return { turns: turns.map(({ id }) => id), words: words(messages), compactions };
}

/** How a part of a session is read without the rest of it. */
export const pastTests = (open: Open): void => {
  describe("the past of a session", () => {
    test("is given whole turns at its end, with rows and items, and how much came before", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, turns } = await spoken(store, 4);
      await spoken(store, 1);
      const { earlier, turns: last } = await store.sessions.past(session, { last: 5 });
      assert.equal(earlier, 4);
      assert.deepEqual(
        last.map(({ turn }) => turn),
        (await store.sessions.turns(session)).slice(2),
      );
      assert.deepEqual(
        last.map(({ rows }) => words(rows)),
        [
          ["hello 3", "answer 3"],
          ["hello 4", "answer 4"],
        ],
      );
      assert.deepEqual(last[1]?.items, await store.turns.items(turns[3] as TurnId));
      const all = await store.sessions.past(session, { last: 8 });
      assert.deepEqual([all.earlier, all.turns.length], [0, 4]);
    });

    test("has the last turn whole even if it alone is too long, and none where nothing was said", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease } = await spoken(store, 2);
      const long = await nextTurn(store, lease, "go on");
      await say(store, long, "1", "2", "3");
      const { earlier, turns } = await store.sessions.past(session, { last: 2 });
      assert.equal(earlier, 4);
      assert.deepEqual(
        turns.map(({ rows }) => words(rows)),
        [["go on", "1", "2", "3"]],
      );
      assert.deepEqual(await store.sessions.past(newSession().id, { last: 2 }), { earlier: 0, turns: [] });
    });

    test("is given turns by name, of no other session, and nothing that was taken back", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turns } = await spoken(store, 4);
      const other = await spoken(store, 1);
      await store.turns.undo(lease, turns.slice(2));
      const named = await store.sessions.past(session, { turns: [...turns.slice(1), ...other.turns] });
      assert.deepEqual([named.earlier, named.turns.map(({ turn }) => turn.id)], [0, turns.slice(1, 2)]);
      const last = await store.sessions.past(session, { last: 2 });
      assert.deepEqual([last.earlier, last.turns.map(({ turn }) => turn.id)], [2, turns.slice(1, 2)]);
      assert.deepEqual(await store.sessions.count(session), { turns: 4, messages: 8, takenBack: 4 });
      const { seq = 0 } = (await store.sessions.messages(session))[5] ?? {};
      assert.deepEqual(await store.sessions.count(session, seq), { turns: 4, messages: 6, takenBack: 2 });
      assert.deepEqual(await store.sessions.count(newSession().id), { turns: 0, messages: 0, takenBack: 0 });
    });
  });

  describe("what models are given of a session", () => {
    test("is all of it where there is no summary", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease } = await spoken(store, 3);
      await store.turns.undo(lease, [(await store.sessions.turns(session))[2]?.id as TurnId]);
      const pruned = await store.compactions.add(lease, compaction({ upTo: 3, seen: 6 }));
      assert.deepEqual(await store.sessions.given(session), {
        turns: await store.sessions.turns(session),
        messages: await store.sessions.messages(session),
        compactions: [pruned],
      });
    });

    test("behind a summary, it is the first turn and all from the one on in which the border is", async () => {
      await using opened = await open();
      const { store } = opened;
      await startTurn(store); // its rows come first, so that numbers do not begin with this session
      const { session, lease, turns } = await spoken(store, 5);
      const rows = await store.sessions.messages(session);
      const all = words(rows);
      const add = (at: number) =>
        store.compactions.add(lease, compaction({ upTo: rows[at]?.seq ?? 0, seen: 99, summary: "S" }));
      const inside = await add(6);
      const running = await nextTurn(store, lease, "now");
      assert.deepEqual(await given(store, session), {
        turns: [turns[0], turns[3], turns[4], running.turn],
        words: [...all.slice(0, 2), ...all.slice(6), "now"],
        compactions: [inside],
      });
      await store.compactions.remove(lease, inside.id);
      const first = await add(0);
      assert.deepEqual(await given(store, session), {
        turns: [...turns, running.turn],
        words: [...all, "now"],
        compactions: [first],
      });
    });

    test("begins with the first turn that was not taken back", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turns } = await spoken(store, 2);
      await store.turns.undo(lease, turns);
      for (const word of ["third", "fourth", "fifth"]) {
        const turn = await nextTurn(store, lease, word);
        await store.turns.end(lease, turn.turn, done, 5, { replies: [], tell: false });
      }
      const rows = await store.sessions.messages(session);
      await store.compactions.add(lease, compaction({ upTo: rows.at(-1)?.seq ?? 0, seen: 99, summary: "S" }));
      assert.deepEqual((await given(store, session)).words, ["third", "fifth"]);
    });
  });
};
