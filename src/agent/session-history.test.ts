import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../test/temp-folder.ts";
import { asId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import type { Lease, Store } from "../store/store.ts";
import { spoken } from "../store/suite/undo.suite.ts";
import { done, nextTurn, said } from "../store/suite/world.suite.ts";
import { compactionBorder } from "../transcript/compaction-border.ts";
import { loadGivenHistory, loadSessionHistory } from "./session-history.ts";

/** A turn with a call whose result is long, and words after it. */
async function work(store: Store, lease: Lease, words: string): Promise<void> {
  const turn = await nextTurn(store, lease, words);
  const call = { id: "call_1", name: "look", arguments: "{}" };
  const rows: readonly Message[] = [
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", toolCallId: "call_1", content: "x".repeat(3000) },
  ];
  for (const row of rows) await store.turns.keep(lease, turn.turn, said(`${words} ${row.role}`), [row], 5);
  const last: Message = { role: "assistant", content: `answer to ${words}` };
  await store.turns.keep(lease, turn.turn, { ...said("end"), id: asId(`${words} end`) }, [last], 5);
  await store.turns.end(lease, turn.turn, done, 5, { replies: [], tell: false });
}

test("what is read of a session gives models the same as all of it, wherever a summary ends", async () => {
  await using folder = await tempFolder();
  await using store = await openSqliteStore(join(folder.path, "talaria.db"));
  const { session, lease, turns } = await spoken(store, 2);
  for (const words of ["one", "two", "three", "four"]) await work(store, lease, words);
  await store.turns.undo(lease, [(await store.sessions.lastTurns(session, 1))[0]?.id ?? turns[0]!]);
  await nextTurn(store, lease, "now");
  const rows = await store.sessions.messages(session);
  const undone = new Set(
    (await store.sessions.turns(session)).filter((turn) => turn.undone).map(({ id }) => id),
  );
  const borders = rows.filter(({ turn }) => !undone.has(turn)).slice(0, -1);
  for (const { seq } of borders) {
    const made = { upTo: seq, seen: rows.at(-1)?.seq ?? 0, pinned: [], at: 5 };
    const { id } = await store.compactions.add(lease, { ...made, summary: "What was said." });
    const pruned = await store.compactions.add(lease, { ...made, upTo: Math.min(seq + 4, made.seen) });
    const [given, whole] = await Promise.all([
      loadGivenHistory(store, session),
      loadSessionHistory(store, session),
    ]);
    assert.deepEqual(given.view, whole.view);
    assert.deepEqual([given.newest, given.compactions], [whole.newest, whole.compactions]);
    for (const messages of [1, 3, 6, 20]) {
      const tail = { messages, characters: 1e6 };
      assert.equal(compactionBorder(given.turns, tail, seq), compactionBorder(whole.turns, tail, seq));
    }
    assert.ok(given.messages.length <= whole.messages.length);
    for (const one of [pruned.id, id]) await store.compactions.remove(lease, one);
  }
  const late = {
    upTo: borders.at(-1)?.seq ?? 0,
    seen: rows.at(-1)?.seq ?? 0,
    pinned: [],
    at: 5,
    summary: "S",
  };
  await store.compactions.add(lease, late);
  assert.equal((await loadGivenHistory(store, session)).turns.length, 2);
});
