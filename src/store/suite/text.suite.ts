import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { anyText } from "./any-text.suite.ts";
import { type Open, done, item, newSession, admission, said, startTurn, text } from "./world.suite.ts";

export function textTests(open: Open): void {
  describe("text", () => {
    test("a mebibyte of text is kept whole and found", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn, session } = await startTurn(store);
      const large = `${"some words of output 12345\n".repeat(40_000)}needle`.slice(-1_048_576);
      const rows = [{ role: "tool" as const, toolCallId: "c", content: large }];
      await store.turns.keep(lease, turn, said("i", large), rows, 1);
      const again = await opened.reopen();
      assert.equal((await again.sessions.messages(session))[1]?.message.content, large);
      assert.equal((await again.turns.items(turn))[0]?.kind === "text", true);
      assert.equal((await again.search({ text: "needle", limit: 1 })).length, 1);
    });

    test("any text comes back, with U+FFFD for what is no character", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn, session } = await startTurn(store);
      const strange = fc.oneof(
        anyText,
        fc
          .array(fc.constantFrom("\0", "\ud800", "\udc00", "a", "😀", "\u2028", "\ufeff"))
          .map((parts) => parts.join("")),
      );
      let n = 0;
      await fc.assert(
        fc.asyncProperty(strange, async (words) => {
          n += 1;
          const id = `i${n}`;
          const call = { id: words, name: words, arguments: JSON.stringify(words) };
          const row = { role: "assistant" as const, content: words, toolCalls: [call], reasoning: words };
          await store.turns.keep(lease, turn, said(id, words), [row], 1);
          const message = (await store.sessions.messages(session)).at(-1)?.message;
          const clean = words.toWellFormed().replaceAll("\0", "\ufffd");
          assert.deepEqual(
            message,
            { ...row, content: clean, reasoning: clean },
            "JSON columns keep every unit",
          );
          assert.deepEqual((await store.turns.items(turn)).at(-1), said(id, words));
        }),
        { numRuns: 60 },
      );
    });

    test("strange names and keys do no harm", async () => {
      await using opened = await open();
      const { store } = opened;
      const cwd = "/a/'; DROP TABLE session; --/\u202e";
      const key = { surface: "s\ud800", account: "\0", chat: "?", messageId: "$1" };
      const session = newSession({ cwd, title: "\ud800" });
      const first = await store.inbox.admit(admission(session, { key, input: text("\ud800") }));
      const second = await store.inbox.admit(admission(session, { key }));
      assert.deepEqual([first.fresh, second.fresh], [true, false]);
      assert.deepEqual(second.row, first.row);
      assert.equal((await store.sessions.get(session.id))?.title, "\ufffd");
      assert.equal((await store.sessions.list({ limit: 1, cwd })).length, 1);
    });

    test("item ids are any text", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn } = await startTurn(store);
      for (const id of ["user", "", "a'b", "日本"]) {
        assert.equal(await store.turns.keep(lease, turn, { ...said("x"), id: item(id) }, [], 1), true, id);
      }
      await store.turns.end(lease, turn, done, 2, { replies: [], tell: false });
      assert.equal((await store.turns.items(turn)).length, 4);
    });
  });
}
