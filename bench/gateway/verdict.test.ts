import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { OutboxRecord, Records } from "./records.ts";
import { type SeenChat, type Shown, verdictOf } from "./verdict.ts";
import { answerTo, question } from "./words.ts";

const row = (at: number, also: Partial<OutboxRecord> = {}): OutboxRecord => ({
  id: `obx_${at}`,
  turn: `turn ${at}`,
  surface: "telegram",
  chat: "c",
  about: null,
  state: "sent",
  attempts: 1,
  platformId: `post ${at}`,
  text: answerTo(question(0, at)),
  ...also,
});
const interrupted = "That was interrupted before it finished. Send it again to retry.";
const post = (at: number, text = answerTo(question(0, at))): Shown => ({ id: `post ${at}`, text });

/** Two messages, or `many`, with an answer each, and what is different. */
function verdict(
  shown: readonly Shown[],
  outbox: readonly OutboxRecord[] = [row(0), row(1)],
  { many = 2, ...also }: Partial<Records> & { readonly many?: number } = {},
) {
  const numbers = Array.from({ length: many }, (_, number) => number);
  const said = new Map(numbers.map((number) => [number, `message ${number}`]));
  const chat: SeenChat = { index: 0, surface: "telegram", chat: "c", said, shown };
  const records: Records = {
    received: numbers.map((at) => ({
      surface: "telegram",
      chat: "c",
      messageId: `message ${at}`,
      state: "done",
      fate: "admitted",
      inbox: `input ${at}`,
    })),
    turns: numbers.map((at) => ({ id: `turn ${at}`, inbox: `input ${at}`, state: "done" })),
    outbox,
    waiting: 0,
    ...also,
  };
  const { broken, answered, interrupted: cutOff, ambiguous } = verdictOf([chat], records);
  return { kinds: [...new Set(broken.map((line) => line.split(":")[0]))], answered, cutOff, ambiguous };
}

const sound = { kinds: [], answered: 2, cutOff: 0, ambiguous: 0 };

describe("what is said of chats after kills", () => {
  test("each message with its answer, or with the word that it was cut off, is sound", () => {
    assert.deepEqual(verdict([post(0), post(1)]), sound);
    const cut = verdict([post(0), post(1, interrupted)], [row(0), row(1, { text: interrupted })]);
    assert.deepEqual(cut, { ...sound, answered: 1, cutOff: 1 });
  });

  test("an answer that may have arrived is sound if that is told, whether it is there or not", () => {
    const unsure = row(1, { state: "ambiguous", platformId: null });
    const notice = row(2, { turn: null, about: unsure.id, text: "I can't tell" });
    const told = post(2, "I can't tell");
    assert.deepEqual(verdict([post(0), post(1), told], [row(0), unsure, notice]), sound);
    const missing = verdict([post(0), told], [row(0), unsure, notice]);
    assert.deepEqual(missing, { ...sound, answered: 1, ambiguous: 1 });
    assert.deepEqual(verdict([post(0), post(1)], [row(0), unsure]).kinds, ["lost"]);
    assert.deepEqual(verdict([post(0), post(1), post(1), told], [row(0), unsure, notice]).kinds, ["doubled"]);
  });

  test("of two that may have arrived with the same words, the one that is there is that which stands at its place", () => {
    const cut = (at: number): OutboxRecord =>
      row(at, { text: interrupted, state: "ambiguous", platformId: null });
    const notice = (at: number, of: number): OutboxRecord =>
      row(at, { turn: null, about: `obx_${of}`, text: "I can't tell" });
    const told = (at: number): Shown => post(at, "I can't tell");
    const rows = [cut(0), notice(3, 0), row(1), cut(2), notice(4, 2)];
    const seen = verdict([told(3), post(1), post(2, interrupted), told(4)], rows, { many: 3 });
    assert.deepEqual(seen, { kinds: [], answered: 1, cutOff: 1, ambiguous: 1 });
  });

  test("what is missing, there twice, elsewhere, in another order or still open is told", () => {
    assert.deepEqual(verdict([post(0)]).kinds, ["lost"]);
    assert.deepEqual(verdict([post(0), post(1)], undefined, { received: [] }).kinds, ["lost"]);
    assert.deepEqual(verdict([post(0), post(1), { ...post(1), id: "another" }]).kinds, ["doubled"]);
    const cut = [row(0), row(1, { text: interrupted })];
    const twice = verdict([post(0), post(1, interrupted), { id: "x", text: interrupted }], cut);
    assert.deepEqual(twice.kinds, ["doubled"]);
    assert.deepEqual(verdict([post(0), post(1, interrupted)]).kinds, ["misplaced"]);
    assert.ok(verdict([post(0), post(1), post(2, answerTo(question(7, 1)))]).kinds.includes("misplaced"));
    assert.deepEqual(verdict([post(1), post(0)]).kinds, ["order"]);
    const pending = verdict([post(0)], [row(0), row(1, { state: "pending", platformId: null })]);
    assert.deepEqual(pending.kinds, ["lost", "open"]);
    assert.deepEqual(verdict([post(0), post(1)], undefined, { waiting: 1 }).kinds, ["open"]);
  });
});
