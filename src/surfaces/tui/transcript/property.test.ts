import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import type { TurnEvent } from "../../../core/events.ts";
import { type ItemId, type TurnId, asId } from "../../../core/ids.ts";
import type { Json } from "../../../core/json.ts";
import { anyText, assertSafe, viewBench } from "./view-bench.suite.ts";

const odd = fc.constantFrom(
  "漢字テスト",
  "👩‍👩‍👧‍👦",
  "👍🏽",
  "🇩🇪",
  "e\u0301\u0302",
  "ก็ำ",
  "\t",
  "\r",
  "\r\n",
  "\n",
  "\u001B[31m",
  "\u001B]8;;http://x\u001B\\",
  "\u001B",
  "\u009B2J",
  "\u202E",
  "\uD83D",
  "```\n",
  "| a | b |\n|---|---|\n",
  "- ",
  "@@ -1,2 +1,2 @@\n",
  "x".repeat(300),
  "word ".repeat(40),
);
const text = fc.array(fc.oneof(odd, anyText(8)), { maxLength: 8 }).map((parts) => parts.join(""));
const item = fc.constantFrom<ItemId>(asId("a"), asId("b"), asId("c"));
const turn = fc.constantFrom<TurnId>(asId("one"), asId("two"));
const args = fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json);
const tool = fc.oneof(fc.constantFrom("terminal", "exec_command", "apply_patch", "mcp.x.y"), text);

const event: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.record({ type: fc.constant("started" as const), runtime: text, model: text, cwd: text }),
  fc.record({
    type: fc.constant("begin" as const),
    item: fc.record({ id: item, kind: fc.constantFrom("text", "thinking", "call", "note"), tool, args }),
  }),
  fc.record({
    type: fc.constant("delta" as const),
    item,
    of: fc.constantFrom("text", "thinking", "output"),
    text,
  }),
  fc.record({
    type: fc.constant("item" as const),
    item: fc.oneof(
      fc.record({
        id: item,
        kind: fc.constant("text" as const),
        text,
        phase: fc.constantFrom("commentary", "answer"),
      }),
      fc.record({ id: item, kind: fc.constantFrom("thinking", "note"), text }),
      fc.record(
        {
          id: item,
          kind: fc.constant("call" as const),
          callId: text,
          tool,
          args,
          output: text,
          ok: fc.boolean(),
          exitCode: fc.integer(),
          durationMs: fc.double(),
          diff: text,
        },
        { requiredKeys: ["id", "kind", "callId", "tool", "args", "output", "ok"] },
      ),
    ),
  }),
  fc.record({ type: fc.constant("notice" as const), code: text, text }),
  fc.record({
    type: fc.constant("ended" as const),
    outcome: fc.constantFrom("done", "interrupted", "failed", "unconfirmed"),
    text,
    calls: fc.nat(),
    fault: fc.record({ code: fc.constant("bug" as const), message: text, next: text }),
  }),
);

type View = ReturnType<typeof viewBench>;
type Step = (bench: View) => void;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(event, turn).map(
      ([said, of]): Step =>
        ({ say }) =>
          say(said, of),
    ),
  },
  fc.tuple(text, text, fc.constantFrom("queued", "steered", "unconfirmed"), fc.nat(3)).map(
    ([words, name, state, id]): Step =>
      ({ view }) =>
        view.user({ id: String(id), text: words, images: [name], state }),
  ),
  fc.tuple(fc.constantFrom("sent", "steered", "set aside", "unconfirmed"), fc.nat(3)).map(
    ([state, id]): Step =>
      ({ view }) =>
        view.settle(String(id), state),
  ),
  text.map(
    (words): Step =>
      ({ view }) =>
        view.note(words),
  ),
  text.map(
    (words): Step =>
      ({ view }) =>
        view.reply(words, words),
  ),
  fc.tuple(text, text).map(
    ([message, next]): Step =>
      ({ view }) =>
        view.fault({ message, next }),
  ),
  fc.tuple(text, text).map(([command, output]): Step => ({ view }) => {
    const entry = view.shell("s", command);
    entry.output(output);
    entry.end({ signal: output });
  }),
  fc.constantFrom<Step>(
    ({ view }) => view.toggleDetails(),
    ({ view }) => view.toggleReasoning(),
    ({ pass }) => pass(1_500),
  ),
);

test("whatever happens in whatever order: every row fits, and none steers the terminal", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), fc.integer({ min: 1, max: 200 }), (steps, width) => {
      const bench = viewBench();
      for (const one of steps) {
        one(bench);
        assertSafe(bench.raw(width), width);
      }
    }),
    { numRuns: 60 },
  );
});

test("what was painted step by step is what would be painted at once", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 15 }), fc.integer({ min: 10, max: 90 }), (steps, width) => {
      const [watched, unseen] = [viewBench(), viewBench()];
      for (const one of steps) {
        one(watched);
        watched.raw(width);
        one(unseen);
      }
      assert.deepEqual(watched.raw(width), unseen.raw(width));
    }),
    { numRuns: 40 },
  );
});

test("a line of a megabyte is no trouble anywhere", () => {
  const bench = viewBench();
  const { view, say } = bench;
  const long = "漢x".repeat(500_000);
  view.user({ id: "1", text: long });
  view.note(long);
  view.fault({ message: long, next: "" });
  say({ type: "delta", item: asId("a"), of: "output", text: long });
  const call = {
    id: asId<"itm">("b"),
    kind: "call",
    callId: "b",
    tool: "terminal",
    output: long,
    ok: false,
  } as const;
  say({
    type: "item",
    item: { ...call, args: { command: long }, diff: `--- a\n+++ a\n@@ -1 +1 @@\n+${long}\n` },
  });
  assertSafe(bench.raw(80), 80);
});
