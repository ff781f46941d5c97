import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ItemId, SessionId, TurnId } from "../../../core/ids.ts";
import type { Item } from "../../../core/items.ts";
import type { OpenTurn } from "../../runtime.ts";
import { ourTurn, withoutKept } from "./our-turn.ts";
import { readTurn } from "../wire/turn.ts";

const open = (more: Partial<OpenTurn> = {}): OpenTurn => ({
  id: "trn_mine" as TurnId,
  session: "ses_1" as SessionId,
  cwd: "/",
  past: async () => ({ history: [] }),
  input: [{ type: "text", text: "go on" }],
  instructions: "",
  project: "",
  context: [],
  items: [],
  ...more,
});

const turn = (id: string, text: string, more: object = {}) =>
  readTurn({
    id,
    status: "completed",
    items: [{ type: "userMessage", content: [{ type: "text", text }], ...more }],
  });
const bound = (last: string, isNoted = false) => ({ turn: last, isNoted });

describe("our turn in codex's journal", () => {
  const signed = [
    turn("a", "go on", { clientId: "trn_other" }),
    turn("b", "go on", { clientId: "trn_mine" }),
  ];
  const unsigned = [turn("a", "go on"), turn("b", "go on")];

  test("is found by codex's id, and by no other way if that was learned", () => {
    assert.equal(ourTurn(unsigned, open({ side: { thread: "t", turn: "b" } }), undefined)?.id, "b");
    assert.equal(ourTurn(signed, open({ side: { thread: "t", turn: "c" } }), bound("a")), undefined);
  });

  test("is found by our own id", () => {
    assert.equal(ourTurn(signed, open(), undefined)?.id, "b");
    assert.equal(ourTurn(signed.slice(0, 1), open(), bound("a")), undefined);
  });

  test("is found by its words where codex keeps no id of ours, but only after the turns we know", () => {
    assert.equal(ourTurn(unsigned, open(), bound("a"))?.id, "b");
    assert.equal(ourTurn(unsigned, open(), bound("b")), undefined);
    assert.equal(ourTurn(unsigned, open(), bound("lost")), undefined);
    assert.equal(ourTurn(unsigned, open(), undefined), undefined);
    assert.equal(ourTurn([turn("a", "x"), turn("b", "another")], open(), bound("a")), undefined);
  });

  test("is found by its words where the binding knows it already", () => {
    assert.equal(ourTurn(unsigned, open(), bound("b", true))?.id, "b");
  });

  test("is never one that another client has signed, or has not", () => {
    for (const clientId of ["somebody", null])
      assert.equal(
        ourTurn([turn("a", "x"), turn("b", "go on", { clientId })], open(), bound("a")),
        undefined,
      );
  });

  test("is never one without an id of its own", () => {
    assert.equal(ourTurn([readTurn({ items: [] })], open(), {}), undefined);
  });
});

const text = (id: string, words: string): Item => ({ id: id as ItemId, kind: "text", text: words });
const thinking = (id: string, words: string): Item => ({ id: id as ItemId, kind: "thinking", text: words });
const ids = (items: readonly Item[]): readonly string[] => items.map(({ id }) => id);

describe("what the journal adds to what was kept", () => {
  test("is what has another id", () => {
    const journal = [text("m1", "Yes."), text("m2", "Yes.")];
    assert.deepEqual(ids(withoutKept(journal, [text("m1", "Yes.")])), ["m2"]);
    assert.deepEqual(ids(withoutKept(journal, journal)), []);
    assert.deepEqual(ids(withoutKept(journal, [])), ["m1", "m2"]);
  });

  test("is not the same words under a new id, each once", () => {
    const journal = [
      thinking("item-1", "Yes."),
      text("item-2", "Yes."),
      text("item-3", "Yes."),
      text("item-4", "No."),
    ];
    assert.deepEqual(ids(withoutKept(journal, [text("m1", "Yes.")])), ["item-1", "item-3", "item-4"]);
    const kept = [thinking("r1", "Yes."), text("m1", "Yes."), text("m2", "Yes.")];
    assert.deepEqual(ids(withoutKept(journal, kept)), ["item-4"]);
  });
});
