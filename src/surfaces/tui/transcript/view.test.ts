import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ItemId, type TurnId, asId } from "../../../core/ids.ts";
import type { CallItem, TextItem } from "../../../core/items.ts";
import { viewBench } from "./view-bench.suite.ts";

const id = (name: string): ItemId => asId(name);
const call = (name: string, change: Partial<CallItem> = {}): CallItem => ({
  id: id(name),
  kind: "call",
  callId: `call_${name}`,
  tool: "terminal",
  args: { command: "ls" },
  output: "",
  ok: true,
  ...change,
});
const text = (name: string, words: string, phase?: TextItem["phase"]): TextItem => ({
  id: id(name),
  kind: "text",
  text: words,
  ...(phase === undefined ? {} : { phase }),
});
const started = { type: "started", runtime: "loop", model: "m", cwd: "/w" } as const;
const done = { type: "ended", outcome: "done", text: "", calls: 0 } as const;
const usage = { input: 12_345, cached: 0, output: 678, reasoning: 0, cost: 0.0123, context: { used: 1 } };

describe("a turn", () => {
  test("on the loop reads from top to bottom", () => {
    const { view, say, pass, text: shown } = viewBench();
    view.user({ id: "1", text: "What is here?\nBe short.", images: ["shot.png"] });
    say(started);
    say({ type: "begin", item: { id: id("t"), kind: "thinking" } });
    say({ type: "delta", item: id("t"), of: "thinking", text: "I look first." });
    pass(3_200);
    say({ type: "item", item: { id: id("t"), kind: "thinking", text: "I look first." } });
    say({ type: "item", item: text("c", "Looking.", "commentary") });
    say({ type: "item", item: call("a", { output: "a.txt\nb.txt\n", durationMs: 120 }) });
    say({
      type: "item",
      item: call("b", { tool: "read_file", args: { path: "a.txt" }, output: "x\n".repeat(99) }),
    });
    say({ type: "notice", code: "route", text: "switched to the second provider" });
    say({ type: "delta", item: id("z"), of: "text", text: "Two " });
    say({ type: "delta", item: id("z"), of: "text", text: "files." });
    say({ type: "item", item: text("z", "Two files.", "answer") });
    pass(9_000);
    say({ ...done, text: "Two files.", calls: 2, usage });
    assert.equal(
      shown(),
      `
› What is here?
  Be short.
  [image: shot.png]

✻ thought for 3.2 s · I look first.

Looking.

✓ terminal  ls · 120 ms
  a.txt
  b.txt
✓ read_file  a.txt · 99 lines, Ctrl+O shows them
· switched to the second provider

Two files.
· 12 s · 12,345 tokens in, 678 out · $0.0123`,
    );
  });

  test("on codex shows its command, its patch and what failed", () => {
    const { say, pass, text: shown } = viewBench();
    const args = { command: "/bin/bash -lc 'npm test'", cwd: "/w" };
    const diff = "--- a.ts\n+++ a.ts\n@@ -7,2 +7,2 @@\n same\n-old\n+new\n";
    say(started);
    say({
      type: "item",
      item: call("p", {
        tool: "apply_patch",
        args: { changes: [{ kind: "update", path: "a.ts" }] },
        output: "apply_patch status=completed, 1 change(s)",
        diff,
      }),
    });
    say({ type: "begin", item: { id: id("x"), kind: "call", tool: "exec_command", args } });
    pass(5_120);
    const output = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n");
    const failed = { ok: false, exitCode: 2, output, durationMs: 5_120 };
    say({ type: "item", item: call("x", { tool: "exec_command", args, ...failed }) });
    say({
      ...done,
      outcome: "failed",
      fault: { code: "quota", message: "The plan is used up.", next: "Try again at 5 pm." },
    });
    assert.equal(
      shown(),
      `
✓ apply_patch  a.ts
  a.ts +1 −1
  7  same
  8 -old
  8 +new
✗ exec_command  npm test · exit 2 · 5.1 s
  … 12 earlier lines
  line 13
  line 14
  line 15
  line 16
  line 17
  line 18
  line 19
  line 20

✗ The plan is used up.
→ Try again at 5 pm.
· failed · 5.1 s`,
    );
  });

  test("that was interrupted says so, and what was half done stays", () => {
    const { say, text: shown } = viewBench();
    say({ type: "delta", item: id("a"), of: "text", text: "Half a" });
    say({
      type: "begin",
      item: { id: id("b"), kind: "call", tool: "terminal", args: { command: "sleep 9" } },
    });
    say({ type: "delta", item: id("b"), of: "output", text: "zzz\n" });
    say({ ...done, outcome: "interrupted", text: "Half a" });
    assert.equal(
      shown(),
      "\nHalf a\n\n✗ terminal  sleep 9 · not finished · 0 ms\n  zzz\n· interrupted; what was finished is kept",
    );
  });

  test("whose end nobody could confirm says so", () => {
    const { say, text: shown } = viewBench({ width: 80 });
    say({ ...done, outcome: "unconfirmed", text: "Done." });
    assert.equal(shown(), "\nDone.\n· it probably finished, but that could not be confirmed");
  });
});

describe("a call that runs", () => {
  test("shows its last eight lines, its time and a mark that moves, below everything else", () => {
    const { say, pass, view, text: shown } = viewBench();
    say({ type: "begin", item: { id: id("a"), kind: "call", tool: "terminal", args: { command: "make" } } });
    for (let at = 1; at <= 10_000; at += 1)
      say({ type: "delta", item: id("a"), of: "output", text: `\u001B[32mstep ${at}\u001B[0m\r\n` });
    pass(2_000);
    view.note("said meanwhile");
    const last = Array.from({ length: 8 }, (_, at) => `  step ${9_993 + at}`).join("\n");
    assert.equal(shown(), `\n· said meanwhile\n⠋ terminal  make · 2 s\n${last}`);
    pass(100);
    assert.match(shown(), /⠙ terminal/);
  });

  test("shares the place for live lines with the others that run", () => {
    const { say, lines } = viewBench();
    for (const name of ["a", "b", "c", "d"]) {
      say({ type: "begin", item: { id: id(name), kind: "call", tool: name } });
      say({ type: "delta", item: id(name), of: "output", text: "x\n".repeat(50) });
    }
    assert.equal(lines().filter((line) => line === "  x").length, 8);
  });

  test("of many stands still, because a change out of sight would repaint everything", () => {
    const { say, pass, text: shown } = viewBench();
    for (let at = 0; at < 30; at += 1)
      say({ type: "begin", item: { id: id(`n${at}`), kind: "call", tool: "t" } });
    const before = shown();
    pass(5_000);
    assert.equal(shown(), before);
  });

  test("that a person runs shows more of what it prints, and how it ended", () => {
    const { view, pass, text: shown } = viewBench();
    const entry = view.shell("1", "ls");
    entry.output(Array.from({ length: 30 }, (_, at) => `f${at}`).join("\n"));
    pass(40);
    entry.end({ exitCode: 0 });
    entry.end({ exitCode: 1 });
    assert.match(shown(), /^\n✓ \$ {2}ls · 40 ms\n {2}f0\n/);
    view.shell("2", "sleep 9").end({ signal: "SIGTERM" });
    assert.match(shown(), /✗ \$ {2}sleep 9 · SIGTERM · 0 ms$/);
  });
});

describe("what a person typed", () => {
  test("waits below until it is settled, and then stands where it was sent", () => {
    const { view, say, text: shown } = viewBench();
    view.user({ id: "1", text: "next", state: "queued" });
    say({ type: "item", item: text("a", "first answer") });
    assert.equal(shown(), "\nfirst answer\n\n› next\n  queued, runs after this turn");
    view.settle("1", "sent");
    say({ type: "item", item: text("b", "second answer") });
    assert.equal(shown(), "\nfirst answer\n\n› next\n\nsecond answer");
  });

  for (const [state, words] of [
    ["steered", "joined the running turn"],
    ["set aside", "set aside, not sent"],
    ["unconfirmed", "sent into the running turn; nobody can say"],
  ] as const) {
    test(`says when it was ${state}, whether it waited or not`, () => {
      const { view, lines } = viewBench();
      view.user({ id: "1", text: "a", state: "queued" });
      view.user({ id: "2", text: "b" });
      view.settle("1", state);
      view.settle("2", state);
      view.settle("unknown", state);
      assert.equal(lines().filter((line) => line.includes(words)).length, 2);
    });
  }

  test("is cut when it is long, until everything is shown", () => {
    const { view, lines } = viewBench();
    view.user({ id: "1", text: Array.from({ length: 100 }, (_, at) => `row ${at}`).join("\n") });
    assert.deepEqual([lines().length, lines().at(-1)], [22, "  … 80 more lines"]);
    view.toggleDetails();
    assert.deepEqual([lines().length, lines().at(-1)], [101, "  row 99"]);
  });
});

describe("thinking", () => {
  const thought = { id: id("t"), kind: "thinking", text: "**Plan**\n\nFirst this." } as const;

  test("is folded, shown whole and folded again", () => {
    const { view, say, text: shown } = viewBench();
    say({ type: "item", item: thought });
    assert.equal(shown(), "\n✻ thought · Plan First this.");
    view.toggleReasoning();
    assert.equal(shown(), "\n✻ thought\nPlan\n\nFirst this.");
    view.toggleReasoning();
    assert.equal(shown(), "\n✻ thought · Plan First this.");
  });

  test("without words is not shown once it is over", () => {
    const { say, text: shown } = viewBench();
    say({ type: "begin", item: { id: id("t"), kind: "thinking" } });
    assert.equal(shown(), "\n✻ thinking");
    say({ type: "item", item: { ...thought, text: "" } });
    assert.equal(shown(), "");
  });
});

describe("details", () => {
  test("are short at first, and whole up to 2,000 lines", () => {
    const { view, say, lines } = viewBench();
    const output = Array.from({ length: 3_000 }, (_, at) => `o${at}`).join("\n");
    const added = Array.from({ length: 100 }, (_, at) => `+n${at}`).join("\n");
    const diff = `--- /dev/null\n+++ n\n@@ -0,0 +1,100 @@\n${added}\n`;
    say({ type: "item", item: call("a", { output, args: { command: "one\ntwo" } }) });
    say({ type: "item", item: call("b", { diff }) });
    assert.deepEqual(lines().slice(1, 3), [
      "✓ terminal  one two · 3,000 lines, Ctrl+O shows them",
      "✓ terminal  ls",
    ]);
    assert.equal(lines().at(-1), "  … 61 more lines");
    view.toggleDetails();
    assert.deepEqual(lines().slice(1, 6), [
      "✓ terminal  one two",
      "  one",
      "  two",
      "  … 1,000 earlier lines",
      "  o1000",
    ]);
    assert.equal(lines().at(-1), "  100 +n99");
  });
});

describe("events in a wrong order", () => {
  const second: TurnId = asId("trn_second");

  test("an item that was streamed is shown once, with its last words", () => {
    const { say, text: shown } = viewBench();
    say({ type: "delta", item: id("a"), of: "text", text: "almost" });
    say({ type: "item", item: text("a", "exactly") });
    say({ type: "item", item: text("a", "exactly") });
    say({ type: "delta", item: id("a"), of: "text", text: " late" });
    say({ type: "begin", item: { id: id("a"), kind: "text" } });
    assert.equal(shown(), "\nexactly");
  });

  test("two turns at once do not touch each other, though their items have the same names", () => {
    const { say, text: shown } = viewBench();
    say({ type: "delta", item: id("a"), of: "text", text: "one" });
    say({ type: "delta", item: id("a"), of: "text", text: "two" }, second);
    say({ ...done, text: "one" });
    say({ type: "delta", item: id("a"), of: "text", text: " more" }, second);
    assert.equal(shown(), "\none\n\ntwo more");
  });

  test("an end without anything before it shows the answer, and a second end nothing", () => {
    const { say, text: shown } = viewBench();
    say({ ...done, text: "The answer." });
    say({ ...done, text: "The answer." });
    say({ type: "delta", item: id("a"), of: "text", text: "too late" });
    assert.equal(shown(), "\nThe answer.");
  });

  test("output of a call that nobody announced is shown until the call is known", () => {
    const { say, text: shown } = viewBench();
    say({ type: "delta", item: id("a"), of: "output", text: "x" });
    assert.equal(shown(), "\n⠋ tool\n  x");
    say({ type: "begin", item: { id: id("a"), kind: "call", tool: "terminal", args: { command: "ls" } } });
    assert.equal(shown(), "\n⠋ terminal  ls\n  x");
  });
});

test("the answer to a command is shown below it, a diff in colour", () => {
  const { view, text: shown, raw } = viewBench();
  view.reply("one\n  two", "/status");
  view.reply("--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n", "/diff");
  assert.equal(shown(), "\n› /status\none\n  two\n\n› /diff\na +1 −1\n1 -x\n1 +y");
  assert.ok(raw().some((line) => line.includes("\u001B[32m+y")));
});

test("words above a diff stay words", () => {
  const { view, text: shown } = viewBench();
  view.reply("It was changed.\n\n--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n", "/codex-runtime on");
  assert.equal(shown(), "\n› /codex-runtime on\nIt was changed.\na +1 −1\n1 -x\n1 +y");
});

test("nothing is left after a clear, and what comes then is shown", () => {
  const { view, say, text: shown } = viewBench();
  say({ type: "begin", item: { id: id("a"), kind: "call", tool: "terminal" } });
  view.user({ id: "1", text: "x", state: "queued" });
  view.note("gone");
  view.clear();
  assert.equal(shown(), "");
  view.note("here");
  assert.equal(shown(), "\n· here");
});

describe("painting", () => {
  test("of 5,000 blocks paints only what changed", () => {
    const { say, view, painted } = viewBench();
    for (let at = 0; at < 2_500; at += 1) {
      say({ type: "item", item: call(`c${at}`, { output: "x\n" }) });
      say({ type: "notice", code: "n", text: `notice ${at}` });
    }
    assert.ok(painted() > 5_000);
    assert.equal(painted(), 0);
    say({ type: "delta", item: id("z"), of: "output", text: "line\n".repeat(10_000) });
    assert.ok(painted() < 15);
    say({ type: "delta", item: id("y"), of: "text", text: "words" });
    view.note("one more");
    assert.ok(painted() < 20);
    assert.ok(painted(61) > 5_000);
  });

  test("of text above other blocks leaves those alone", () => {
    const { say, view, painted } = viewBench();
    say({ type: "delta", item: id("a"), of: "text", text: "one" });
    for (let at = 0; at < 1_000; at += 1) view.note(`note ${at}`);
    painted();
    say({ type: "delta", item: id("a"), of: "text", text: " two" });
    assert.ok(painted() < 10);
  });

  test("of an answer that streams in paints its last piece only", () => {
    const { say, painted } = viewBench();
    const more = (words: string): void => say({ type: "delta", item: id("a"), of: "text", text: words });
    for (let at = 0; at < 500; at += 1) more("Some *words* with `code`.\n\n");
    assert.ok(painted() >= 1_000);
    more("Some *more*");
    assert.ok(painted() < 10);
    say({ type: "item", item: text("b", "x") });
    const whole = `${"Some *words* with `code`.\n\n".repeat(500)}Some *more*`;
    say({ type: "item", item: text("a", whole) });
    assert.ok(painted() < 10);
  });
});
