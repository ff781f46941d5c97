import assert from "node:assert/strict";
import { test } from "node:test";
import { asId } from "../../core/ids.ts";
import type { Message } from "../../core/messages.ts";
import type { StoredMessage, StoredTurn } from "../../core/session.ts";
import { viewBench } from "./view-bench.suite.ts";

const stored = (turn: string, ...messages: readonly Message[]): readonly StoredMessage[] =>
  messages.map((message, at) => ({ seq: at, turn: asId(turn), item: asId(`i${at}`), at: 0, message }));
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
const shown = (messages: readonly StoredMessage[], turns: readonly StoredTurn[]): string => {
  const { view, text } = viewBench();
  view.past(messages, turns);
  return text();
};

test("a session that is gone on with looks as it did", () => {
  const messages = stored(
    "t1",
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image", name: "a.png", mediaType: "image/png", base64: "AA==" },
      ],
    },
    {
      role: "assistant",
      content: "",
      reasoning: "Hm.",
      toolCalls: [{ id: "1", name: "terminal", arguments: '{"command":"ls"}' }],
    },
    { role: "tool", toolCallId: "1", content: "a.txt\n" },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "2", name: "terminal", arguments: '{"command":"make"}' }],
    },
    { role: "tool", toolCallId: "2", content: "[exit 2]\nno rule\n" },
    { role: "assistant", content: "There is **one** file." },
  );
  assert.equal(
    shown(messages, [turn("t1")]),
    `
› Look
  [image: a.png]

✻ thought · Hm.
⏺ terminal  ls
  a.txt
✗ terminal  make · exit 2
  no rule

There is one file.`,
  );
});

test("a turn that ended badly says so, and so does a call without a result", () => {
  const fault = { code: "network", message: "The address was not reached.", next: "Try again." } as const;
  const messages = [
    ...stored("t1", { role: "user", content: "one" }),
    ...stored(
      "t2",
      { role: "user", content: "two" },
      { role: "assistant", content: "", toolCalls: [{ id: "1", name: "terminal", arguments: "{" }] },
    ),
    ...stored("t3", { role: "user", content: "three" }),
  ];
  const turns = [
    turn("t1", { state: "failed", fault }),
    turn("t2", { state: "interrupted" }),
    turn("t3", { state: "open" }),
  ];
  assert.equal(
    shown(messages, turns),
    `
› one

✗ The address was not reached.
→ Try again.
· failed

› two

✗ terminal  { · not finished
· interrupted; what was finished is kept

› three

· this turn is not finished yet`,
  );
});

test("turns that were taken back are left out", () => {
  const messages = [
    ...stored("t1", { role: "user", content: "kept" }),
    ...stored("t2", { role: "user", content: "taken back" }),
  ];
  assert.equal(shown(messages, [turn("t1"), turn("t2", { undone: true })]), "\n› kept");
});

test("of a long session the last turns are shown, and how many messages came before", () => {
  const ids = Array.from({ length: 100 }, (_, at) => `t${at}`);
  const messages = ids.flatMap((id) =>
    stored(id, { role: "user", content: `ask ${id}` }, { role: "assistant", content: `answer ${id}` }),
  );
  const text = shown(
    messages,
    ids.map((id) => turn(id)),
  );
  assert.match(text, /^\n· 140 earlier messages; \/history shows them\n\n› ask t70\n/);
  assert.match(text, /answer t99$/);
});

test("one turn longer than that is shown whole", () => {
  const answers = Array.from({ length: 200 }, (_, at): Message => ({ role: "assistant", content: `a${at}` }));
  const text = shown(stored("t1", { role: "user", content: "go" }, ...answers), [turn("t1")]);
  assert.match(text, /^\n› go\n/);
  assert.match(text, /a199$/);
});
