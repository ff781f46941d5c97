import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asId } from "../../../core/ids.ts";
import type { Item } from "../../../core/items.ts";
import { beginOf, itemOf } from "./item-mapping.ts";
import { readItem } from "../wire/item.ts";

const mask = (text: string): string => text;
const fixture = { cwd: "/w", hostNamespace: "talaria", mask };
const map = (fields: object, seen = ""): Item | undefined =>
  itemOf(readItem({ id: "i", ...fields }).body, asId<"itm">("i"), fixture, seen);
const begin = (fields: object): unknown =>
  beginOf(readItem({ id: "i", ...fields }).body, asId<"itm">("i"), fixture);

function call(fields: object): Extract<Item, { kind: "call" }> {
  const item = map(fields);
  assert.ok(item?.kind === "call");
  return item;
}

const thought = (summary: string[], content: string[]): unknown => {
  const item = map({ type: "reasoning", summary, content });
  return item?.kind === "thinking" ? item.text : undefined;
};

describe("codex items as ours", () => {
  test("text has its phase", () => {
    const phase = (value: string | null): unknown => {
      const item = map({ type: "agentMessage", text: "hi", phase: value });
      return item?.kind === "text" ? item.phase : item;
    };
    assert.deepEqual(["commentary", "final_answer", "partial_answer", null, "new"].map(phase), [
      "commentary",
      "answer",
      "answer",
      "answer",
      "answer",
    ]);
    assert.equal(map({ type: "agentMessage", text: " \n" }), undefined);
  });

  test("questions that wait for nobody are commentary, with their options", () => {
    const questions = [{ title: "Which colour?", options: ["red", "blue"] }];
    assert.deepEqual(map({ type: "agentMessage", text: "", delivery: "async", questions }), {
      id: "i",
      kind: "text",
      text: "Which colour?\n- red\n- blue",
      phase: "commentary",
    });
  });

  test("a thought is its summary, else itself, else nothing", () => {
    assert.equal(thought(["a", "b"], ["raw"]), "a\n\nb");
    assert.equal(thought([], ["raw"]), "raw");
    assert.equal(thought([""], []), undefined);
  });

  test("a command is good only if it ended with 0", () => {
    const ran = (status: string, exitCode: number | null): unknown => {
      const { ok, exitCode: code } = call({ type: "commandExecution", command: "x", status, exitCode });
      return [ok, code];
    };
    assert.deepEqual(ran("completed", 0), [true, 0]);
    assert.deepEqual(ran("completed", 3), [false, 3]);
    assert.deepEqual(ran("failed", 1), [false, 1]);
    assert.deepEqual(ran("failed", null), [false, undefined]);
    assert.deepEqual(call({ type: "commandExecution", command: "x", status: "completed" }).args, {
      command: "x",
      cwd: "/w",
    });
    assert.match(call({ type: "commandExecution", status: "failed" }).output, /reported nothing/);
    assert.equal(call({ type: "commandExecution", status: "inProgress" }).output, "[not finished]");
  });

  test("a long output keeps its beginning and end, and says how much is missing", () => {
    const aggregatedOutput = `first${"x".repeat(200_000)}last`;
    const { output } = call({ type: "commandExecution", status: "completed", exitCode: 0, aggregatedOutput });
    assert.ok(output.startsWith("first") && output.endsWith("last") && output.length < 65_600);
    assert.match(output, /\n\[134473 characters left out\]\n/);
  });

  test("changes: added, deleted, moved", () => {
    const item = call({
      type: "fileChange",
      status: "completed",
      changes: [
        { path: "/a", kind: { type: "add" }, diff: "one\ntwo" },
        { path: "/b", kind: { type: "delete" }, diff: "gone\n" },
        { path: "/c", kind: { type: "update", move_path: "/d" }, diff: "@@ -1 +1 @@\n-x\n+y" },
      ],
    });
    assert.deepEqual(item.args, {
      changes: [
        { kind: "add", path: "/a" },
        { kind: "delete", path: "/b" },
        { kind: "update", path: "/c", move_path: "/d" },
      ],
    });
    assert.equal(item.output, "apply_patch status=completed, 3 change(s)");
    const added = "--- /dev/null\n+++ /a\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    const deleted = "--- /b\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n";
    assert.equal(item.diff, `${added}${deleted}--- /c\n+++ /d\n@@ -1 +1 @@\n-x\n+y\n`);
  });

  test("an MCP call is named by its server; its words are bounded, its error more so", () => {
    const mcp = { type: "mcpToolCall", server: "s", tool: "t", status: "completed" };
    const { tool, callId, args, output, ok } = call({
      ...mcp,
      arguments: ["a"],
      result: { content: [{ type: "text", text: "x".repeat(9000) }] },
    });
    assert.deepEqual([tool, callId, args, ok], ["mcp.s.t", "codex_mcp_s_t_i", { input: ["a"] }, true]);
    assert.ok(output.length > 3900 && output.length < 4100);
    // Reading JSON goes deeper than writing it: what cannot be kept is said instead.
    const deep = call({
      ...mcp,
      arguments: JSON.parse(`${"[".repeat(6_000)}${"]".repeat(6_000)}`) as unknown,
    });
    assert.deepEqual(deep.args, { input: "[arguments that are nested too deep]" });
    const failed = call({ ...mcp, status: "failed", arguments: null, error: { message: "e".repeat(9000) } });
    assert.ok(failed.output.startsWith("[error] eee") && failed.output.length < 1100);
    assert.deepEqual([failed.ok, failed.args], [false, {}]);
  });

  test("our own tools have plain names, those of others their namespace", () => {
    const name = (namespace: string | null): string =>
      call({ type: "dynamicToolCall", namespace, tool: "memory", status: "completed", success: true }).tool;
    assert.deepEqual([null, "talaria", "other"].map(name), ["memory", "memory", "other.memory"]);
    const { output, callId } = call({
      type: "dynamicToolCall",
      tool: "memory",
      status: "completed",
      success: true,
      contentItems: [
        { type: "inputText", text: "a" },
        { type: "inputText", text: "b" },
        { type: "inputAudio" },
      ],
    });
    assert.deepEqual([output, callId], ["a\nb\n[audio]", "codex_dyn_memory_i"]);
  });

  test("what a sub-agent was asked is a call with what is known of it", () => {
    const { tool, args, output, ok } = call({
      type: "collabAgentToolCall",
      tool: "wait",
      status: "completed",
      receiverThreadIds: ["t1"],
      prompt: null,
      agentsStates: { t1: { status: "completed", message: "found it" } },
    });
    assert.deepEqual(
      [tool, args, output, ok],
      ["collab.wait", { receivers: ["t1"] }, "t1: completed\nfound it", true],
    );
  });

  test("everything else is a note", () => {
    const notes = {
      plan: { text: "p" },
      hookPrompt: { fragments: [{ text: "h" }] },
      functionCallOutput: { name: "f", output: [{ type: "input_text", text: "o" }] },
      webSearch: { query: "", action: { type: "openPage", url: "u" } },
      imageView: { path: "/i.png" },
      imageGeneration: { status: "completed", savedPath: "/g.png", failure: null },
      sleep: { durationMs: 1500 },
      subAgentActivity: { kind: "started", agentPath: "root/a" },
      enteredReviewMode: { review: "r" },
      exitedReviewMode: { review: "r" },
      contextCompaction: {},
      hologram: { beam: 1 },
    };
    const words = Object.entries(notes).map(([type, fields]) => {
      const item = map({ type, ...fields });
      assert.ok(item?.kind === "note");
      assert.equal(item.history, type === "contextCompaction" ? undefined : true, type);
      return item.text;
    });
    assert.deepEqual(words, [
      "Plan:\np",
      "A hook added: h",
      "f returned: o",
      "Searched the web: u",
      "Looked at the image /i.png",
      "Made an image: /g.png",
      "Waited 1.5 s.",
      "Sub-agent root/a: started",
      "Review started: r",
      "Review ended: r",
      "Codex shortened its view of the conversation; nothing is missing here.",
      'Codex reported an item of the kind "hologram", which this version does not know.',
    ]);
    assert.equal(map({ type: "userMessage", content: [] }), undefined);
  });

  test("only what can be watched begins", () => {
    assert.deepEqual(begin({ type: "agentMessage" }), { id: "i", kind: "text" });
    assert.deepEqual(begin({ type: "reasoning" }), { id: "i", kind: "thinking" });
    assert.deepEqual(begin({ type: "commandExecution", command: "ls" }), {
      id: "i",
      kind: "call",
      tool: "exec_command",
      args: { command: "ls", cwd: "/w" },
    });
    assert.equal(begin({ type: "webSearch", query: "q" }), undefined);
  });
});
