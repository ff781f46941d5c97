import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endsOf, itemsIn, replayed, rowsOf } from "../captures.suite.ts";

/** The finished items of the first turn, exactly. */
const first = (name: string): unknown => itemsIn(name)[0];
const text = (id: string, words: string, phase = "answer"): object => ({
  id,
  kind: "text",
  text: words,
  phase,
});
const call = (id: string, kind: string, rest: object): object => ({
  id,
  kind: "call",
  callId: `codex_${kind}_${id}`,
  ...rest,
});
const exec = (id: string, command: string, cwd: string, rest: object): object =>
  call(id, "exec", { tool: "exec_command", args: { command: `/bin/bash -lc ${command}`, cwd }, ...rest });

const broken = (tool: string, why: string): string =>
  `[error] tool call error: tool call failed for \`hermes/${tool}\`\n\nCaused by:\n    ${why}`;

describe("items of the real codex", () => {
  test("a plain answer", () => {
    assert.deepEqual(first("plain-text"), [
      text("msg_mwi5zwlv0002", "Hello from the fake model, nice to meet you."),
    ]);
    const [turn] = replayed("plain-text").turns;
    assert.deepEqual(endsOf(turn!.events), [
      {
        type: "ended",
        outcome: "done",
        text: "Hello from the fake model, nice to meet you.",
        calls: 0,
        usage: {
          input: 1234,
          cached: 1000,
          output: 56,
          reasoning: 7,
          context: { used: 1290, window: 258400 },
        },
        side: {
          thread: "01a1e074-bba8-7da0-b1c7-ae385d8444c4",
          turn: "01a1e074-bc14-74a1-8c5d-5ef57c71c1e0",
        },
      },
    ]);
    const deltas = turn!.events.flatMap((event) => (event.type === "delta" ? [event.text] : []));
    assert.equal(deltas.join(""), "Hello from the fake model, nice to meet you.");
  });

  test("commentary, a command and the answer", () => {
    assert.deepEqual(first("commentary-phase"), [
      text("msg_mwi6s3v6001v", "I will look.", "commentary"),
      exec("call_mwi6s3v6001x", "true", "/w/w720-12", { output: "", ok: true, exitCode: 0 }),
      text("msg_mwi6s3yn0020", "Final."),
    ]);
    assert.equal(endsOf(replayed("commentary-phase").turns[0]!.events)[0]?.text, "Final.");
  });

  test("thoughts are attached to the answer that follows", () => {
    assert.deepEqual(first("reasoning-text"), [
      {
        id: "rs_mwi72q1v0002",
        kind: "thinking",
        text: "**Looking around** first part\n\n**Deciding** second part",
      },
      text("msg_mwi72q1v0003", "Answer after thinking."),
    ]);
    const [turn] = replayed("reasoning-text").turns;
    const shown = turn!.events.flatMap((e) => (e.type === "delta" && e.of === "thinking" ? [e.text] : []));
    assert.equal(shown.join(""), "**Looking around** first part\n\n**Deciding** second part");
    assert.deepEqual(rowsOf(turn!.events), [
      {
        role: "assistant",
        content: "Answer after thinking.",
        reasoning: "**Looking around** first part\n\n**Deciding** second part",
      },
    ]);
    assert.deepEqual(first("reasoning-raw"), [
      { id: "rs_mwi64ygw0006", kind: "thinking", text: "raw chain of thought text" },
      text("msg_mwi64ygw0007", "Answer."),
    ]);
  });

  test("patches with their diffs", () => {
    const path = "/w/w28081-1/hello.txt";
    const patch = (id: string, kind: string, diff: string): object =>
      call(id, "apply_patch", {
        tool: "apply_patch",
        args: { changes: [{ kind, path }] },
        output: "apply_patch status=completed, 1 change(s)",
        ok: true,
        diff,
      });
    assert.deepEqual(first("patch-approval-accept"), [
      patch("call_mwi676qq000a", "add", `--- /dev/null\n+++ ${path}\n@@ -0,0 +1,2 @@\n+hello\n+world\n`),
      patch(
        "call_mwi676tu000e",
        "update",
        `--- ${path}\n+++ ${path}\n@@ -1,2 +1,2 @@\n-hello\n+HELLO\n world\n`,
      ),
      text("msg_mwi676ws000h", "done"),
    ]);
  });

  test("what was declined says so", () => {
    const [patch] = itemsIn("patch-approval-decline")[0]!;
    assert.ok(patch?.kind === "call" && !patch.ok);
    assert.equal(
      patch.output,
      "apply_patch status=declined, 1 change(s)\nThe change was declined and no file was touched.",
    );
    const [command] = itemsIn("command-approval-decline")[0]!;
    assert.ok(command?.kind === "call" && !command.ok && command.exitCode === undefined);
    assert.equal(command.output, "The command was declined and did not run.");
  });

  test("what codex leaves open is closed with what was seen of it", () => {
    assert.deepEqual(first("patch-approval-cancel"), [
      call("call_mwi6786b0017", "apply_patch", {
        tool: "apply_patch",
        args: { changes: [{ kind: "add", path: "/w/w28081-4/hello.txt" }] },
        output: "[not finished: the turn was stopped]",
        ok: false,
        durationMs: 192,
        diff: "--- /dev/null\n+++ /w/w28081-4/hello.txt\n@@ -0,0 +1,2 @@\n+hello\n+world\n",
      }),
    ]);
    assert.deepEqual(first("interrupt-command"), [
      exec("call_mwi67i570003", "'echo start; sleep 30; echo end'", "/w/w29301-0", {
        output: "[not finished: the turn was stopped; it may still be running]",
        ok: false,
        durationMs: 742,
      }),
    ]);
    assert.deepEqual(first("interrupt-approval"), [
      exec("call_mwi67k7l000g", "'touch a.txt'", "/w/w29301-2", {
        output: "[not finished: the turn was stopped]",
        ok: false,
        durationMs: 691,
      }),
    ]);
    assert.deepEqual(first("interrupt-stream"), [text("msg_mwi67jd90009", "partial answer that never ends")]);
    const [mcp] = itemsIn("mcp-interrupt")[0]!;
    assert.ok(mcp?.kind === "call" && !mcp.ok && mcp.tool === "mcp.hermes.forever");
  });

  test("a command that ends after its turn is taken in while somebody waits", () => {
    const [late] = itemsIn("interrupt-then-clean")[0]!;
    assert.ok(late?.kind === "call" && late.exitCode === -1 && late.output === "start\n");
    assert.deepEqual(
      itemsIn("background-command")[0]!.map((item) => (item.kind === "call" ? item.output : item.kind)),
      ["text", "start\nfinished\n"],
    );
    const [tooLate] = itemsIn("codemode-interrupt")[0]!;
    assert.ok(tooLate?.kind === "call" && /not finished/.test(tooLate.output));
  });

  test("an answer that broke off and was asked for again is not part of the conversation", () => {
    assert.deepEqual(first("err-disconnect-then-ok"), [
      {
        id: "msg_mwi6a7cm000q",
        kind: "note",
        text: "This broke off, and the model was asked again: partial text then gone",
      },
      text("msg_mwi6a7jp000t", "second try complete"),
    ]);
    const [turn] = replayed("err-disconnect").turns;
    assert.deepEqual(rowsOf(turn!.events), [{ role: "assistant", content: "partial text then gone" }]);
  });

  test("dynamic tools are recorded under their plain names", () => {
    const calls = itemsIn("dynamic-tools")[0]!.flatMap((item) =>
      item.kind === "call" ? [[item.callId, item.tool, item.args, item.output, item.ok]] : [],
    );
    assert.deepEqual(calls, [
      [
        "codex_dyn_hermes_lookup_call_mwi6gmtk0003",
        "hermes_lookup",
        { q: "x" },
        'result for {"q":"x"}',
        true,
      ],
      ["codex_dyn_remember_call_mwi6gmug0007", "remember", { fact: "y" }, 'result for {"fact":"y"}', true],
      ["codex_dyn_hermes_lookup_call_mwi6gmvc000b", "hermes_lookup", { q: "fail" }, "it failed", false],
      [
        "codex_dyn_hermes_lookup_call_mwi6gmwb000f",
        "hermes_lookup",
        { q: "rpcerror" },
        "dynamic tool request failed",
        false,
      ],
      [
        "codex_dyn_hermes_lookup_call_mwi6gmx9000j",
        "hermes_lookup",
        { q: "garbage" },
        "dynamic tool response was invalid",
        false,
      ],
      ["codex_dyn_hermes_lookup_call_mwi6gmyf000n", "hermes_lookup", { q: "image" }, "pic:\n[image]", true],
    ]);
    const [stopped] = itemsIn("dynamic-tools-interrupt")[0]!;
    assert.ok(stopped?.kind === "call" && !stopped.ok);
    assert.equal(stopped.output, "The call failed and reported nothing.");
  });

  test("MCP calls, their errors and pictures", () => {
    const calls = itemsIn("mcp-behaviours")[0]!.flatMap((item) =>
      item.kind === "call" ? [[item.tool, item.ok, item.output]] : [],
    );
    assert.deepEqual(calls, [
      ["mcp.hermes.fails", false, "it failed: x"],
      ["mcp.hermes.throws", false, "boom"],
      ["mcp.hermes.slow", true, "slow done"],
      ["mcp.hermes.image", true, '[image image/png]\n{"a":1}'],
      ["mcp.hermes.forever", false, broken("forever", "timed out awaiting tools/call after 2s")],
      ["mcp.hermes.elicits", true, 'elicited {"action":"decline"}'],
      ["mcp.hermes.crashes", false, broken("crashes", "Transport closed")],
      ["mcp.hermes.read_it", false, broken("read_it", "Transport closed")],
    ]);
    const [turn] = replayed("mcp-startup-fail").turns;
    const notices = turn!.events.flatMap((event) => (event.type === "notice" ? [event.code] : []));
    assert.deepEqual(notices, ["mcp_server_failed", "codex_warning"]);
  });

  test("code mode gives the same kinds of items", () => {
    const items = itemsIn("dynamic-tools-codemode")[0]!;
    assert.deepEqual(
      items.map((item) => (item.kind === "call" ? item.tool : item.kind)),
      ["hermes_lookup", "remember", "exec_command", "apply_patch", "text"],
    );
    assert.deepEqual(
      itemsIn("codemode-approval")[0]!.map((item) => (item.kind === "call" ? item.ok : item.kind)),
      [true, false, "text"],
    );
  });

  test("forks, reverts and compactions keep their turns apart", () => {
    const { turns } = replayed("fork-revert-compact");
    assert.deepEqual(
      turns.map(({ events }) => endsOf(events)[0]?.text),
      ["answer one", "answer two", "answer three", "fork answer", "answer 3b", "", "post compact"],
    );
    assert.equal(new Set(turns.map(({ threadId }) => threadId)).size, 2);
    const [compaction] = itemsIn("fork-revert-compact")[5]!;
    assert.equal(compaction?.kind, "note");
    assert.ok(turns[5]!.events.some((event) => event.type === "status" && event.state === "compacting"));
    assert.deepEqual(
      turns.map(({ events }) => endsOf(events)[0]?.usage?.input),
      Array.from({ length: 7 }, () => 1234),
    );
  });

  test("each turn has its own spending, and an answer without numbers has none", () => {
    const usages = replayed("token-usage").turns.map(({ events }) => endsOf(events)[0]?.usage);
    assert.deepEqual(
      usages.map((usage) => [usage?.input, usage?.output, usage?.context.used]),
      [
        [100, 20, 120],
        [100, 20, 120],
        [0, 0, 120],
      ],
    );
  });

  test("the echo of the input makes no item", () => {
    assert.deepEqual(itemsIn("image-input"), [
      [text("msg_mwi6f21f000l", "seen")],
      [text("msg_mwi6f2gz000o", "seen")],
      [text("msg_mwi6f2il000r", "seen")],
    ]);
  });

  test("plans are notes", () => {
    assert.deepEqual(itemsIn("plan")[0]![0], {
      id: "plan#1",
      kind: "note",
      text: "Plan:\nwhy\n[x] one\n[>] two\n[ ] three",
      history: true,
    });
    assert.deepEqual(
      itemsIn("plan-mode")[0]!.map((item) => [item.kind, item.kind === "call" ? "" : item.text]),
      [
        ["note", "Plan:\n# Plan\n- step one\n- step two\n"],
        ["text", "Here is my plan:\n"],
      ],
    );
  });

  test("a person's own shell command is a call", () => {
    const [command] = itemsIn("shell-command")[0]!;
    assert.ok(command?.kind === "call");
    assert.deepEqual([command.exitCode, command.ok, command.output], [2, false, "from-user\n"]);
    assert.equal(rowsOf(replayed("shell-command").turns[0]!.events)[1]?.content, "[exit 2]\nfrom-user\n");
  });
});
