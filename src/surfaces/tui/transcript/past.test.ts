import assert from "node:assert/strict";
import { test } from "node:test";
import { asId } from "../../../core/ids.ts";
import type { CallItem, Item } from "../../../core/items.ts";
import type { InputPart } from "../../../core/messages.ts";
import type { StoredMessage, StoredTurn } from "../../../core/session.ts";
import { viewBench } from "./view-bench.suite.ts";
import { turnParts } from "../../../core/turn-parts.ts";

type Told = {
  readonly turn: StoredTurn;
  readonly asked: string | readonly InputPart[];
  readonly items: readonly Item[];
};

const turn = (id: string, change: Partial<StoredTurn> = {}): StoredTurn => ({
  id: asId(id),
  session: asId("ses_1"),
  inbox: asId("inb_1"),
  epoch: 1,
  runtime: "loop",
  cwd: "/w",
  state: "done",
  startedAt: 0,
  ...change,
});
const said = (id: string, text: string): Item => ({ id: asId(id), kind: "text", text });
const call = (id: string, command: string, change: Partial<CallItem>): Item => ({
  id: asId(id),
  kind: "call",
  callId: id,
  tool: "terminal",
  args: { command },
  output: "",
  ok: true,
  ...change,
});

const rowsOf = ({ turn: { id }, asked, items }: Told): readonly StoredMessage[] => [
  { seq: 0, turn: id, item: asId("user"), at: 0, message: { role: "user", content: asked } },
  ...items
    .filter(({ kind }) => kind !== "note")
    .map((item, at): StoredMessage => {
      const content = item.kind === "text" ? item.text : "";
      return { seq: at + 1, turn: id, item: item.id, at: 0, message: { role: "assistant", content } };
    }),
];

function shown(...told: readonly Told[]): string {
  const { view, text } = viewBench();
  const turns = told.map((each) => ({ turn: each.turn, parts: turnParts(rowsOf(each), each.items) }));
  view.past({ earlier: 0, turns });
  return text();
}

test("a session that is gone on with looks as it did: how calls went, how long they took, what they changed", () => {
  const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n";
  const asked: readonly InputPart[] = [
    { type: "text", text: "Look" },
    { type: "image", name: "a.png", mediaType: "image/png", base64: "AA==" },
  ];
  const items: readonly Item[] = [
    { id: asId("r"), kind: "thinking", text: "Hm." },
    call("1", "ls", { output: "a.txt\n", durationMs: 1500 }),
    call("2", "make", { output: "no rule\n", ok: false, exitCode: 2 }),
    call("3", "rm -rf /", { output: "Denied by you.", ok: false }),
    { id: asId("n"), kind: "note", text: "A note." },
    call("4", "sed", { diff }),
    said("t", "There is **one** file."),
  ];
  assert.equal(
    shown({ turn: turn("t1"), asked, items }),
    `
› Look
  [image: a.png]

✻ thought · Hm.
✓ terminal  ls · 1.5 s
  a.txt
✗ terminal  make · exit 2
  no rule
✗ terminal  rm -rf /
  Denied by you.
· A note.
✓ terminal  sed
  a.txt +1 −1
  1 -old
  1 +new

There is one file.`,
  );
});

test("a turn that ended badly says so", () => {
  const fault = { code: "network", message: "The address was not reached.", next: "Try again." } as const;
  assert.equal(
    shown(
      { turn: turn("t1", { state: "failed", fault }), asked: "one", items: [] },
      { turn: turn("t2", { state: "interrupted" }), asked: "two", items: [] },
      { turn: turn("t3", { state: "open" }), asked: "three", items: [] },
    ),
    `
› one

✗ The address was not reached.
→ Try again.
· failed

› two
· interrupted; what was finished is kept

› three

· this turn is not finished yet`,
  );
});

test("how many messages came before is said", () => {
  const { view, text } = viewBench();
  view.past({ earlier: 140, turns: [] });
  assert.equal(text(), "\n· 140 earlier messages; /history shows them");
});
