import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { methods } from "@agentclientprotocol/sdk";
import { endless, processesOf, talariaOnCodex } from "../codex/codex-talaria.ts";
import { whenChanged } from "../codex/watching.ts";
import { hangs, says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talaria } from "../talaria.ts";
import { editorOn, newThread } from "./thread.ts";
import { worlds } from "./worlds.ts";
import { goesOn, testAlone } from "../attached/with-host.ts";

describe("an editor that leaves", { concurrency: 2 }, () => {
  for (const [name, world] of worlds) {
    testAlone(
      goesOn,
      `in the middle of a turn ends it, on ${name}: it is kept as interrupted, and no process is left`,
      async () => {
        await using it = await world.start([hangs("Let me think.")]);
        await using editor = await editorOn(it);
        const thread = await newThread(editor, it.cwd);
        const lost = assert.rejects(thread.prompt("hello"));
        await editor.hears(() => thread.said().includes("think."));
        editor.closeInput();
        const { code, signal } = await editor.exited;
        await lost;
        assert.deepEqual([code, signal], [0, null]);
        assert.deepEqual(await processesOf(it), []);
        const [session] = await onDisk(it.home);
        assert.deepEqual([session?.turns, session?.said[1]], [["interrupted"], "assistant Let me think."]);
      },
    );
  }

  testAlone(
    goesOn,
    "ends the commands of codex with all that they started; a signal does the same",
    async () => {
      for (const leave of ["EOF", "SIGTERM"] as const) {
        await using it = await talariaOnCodex([{ reply: [endless] }]);
        await using editor = await editorOn(it);
        const thread = await newThread(editor, it.cwd);
        await editor.agent.request(methods.agent.session.setMode, { sessionId: thread.id, modeId: "codex" });
        const lost = assert.rejects(thread.prompt("sleep well"));
        await whenChanged(it.cwd, async () => (await readdir(it.cwd)).includes("begun"));
        if (leave === "EOF") editor.closeInput();
        else process.kill(editor.pid, leave);
        const { code } = await editor.exited;
        await lost;
        assert.equal(code, leave === "EOF" ? 0 : 143);
        assert.deepEqual(await processesOf(it), []);
        assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["interrupted"] }]);
      }
    },
  );

  test("before it has said anything leaves nothing behind", async () => {
    await using it = await talaria();
    const result = await it.run(["acp"], { input: "" });
    assert.deepEqual([result.code, result.stdout, result.stderr], [0, "", ""]);
  });
});

describe("messages that are none", { concurrency: 2 }, () => {
  test("because they are nested too deep do not end the program", async () => {
    await using it = await talaria();
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const lines = [
      deep,
      `{"jsonrpc":"2.0","id":1,"method":${deep}}`,
      '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}',
    ];
    const { stdout } = await it.run(["acp"], { input: `${lines.join("\n")}\n` });
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    const message = "The message is nested deeper than 500 levels and was not read. Send it flatter.";
    assert.partialDeepStrictEqual(answers, [
      { id: null, error: { message } },
      { id: 1, error: { message } },
      { id: 2, result: { agentInfo: { name: "talaria" } } },
    ]);
  });

  test("are answered with an error, and the connection goes on", async () => {
    await using it = await talariaOn([says("Good morning.")]);
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    const garbage = [
      "this is not JSON",
      "[]",
      "42",
      '{"jsonrpc":"1.0","id":7,"method":"session/prompt"}',
      '{"jsonrpc":"2.0","id":"a","method":"no/such/method","params":{"x":1}}',
      '{"jsonrpc":"2.0","id":"b","method":"session/prompt","params":{"sessionId":3}}',
      '{"jsonrpc":"2.0","id":"c","method":"session/prompt","params":{"sessionId":"ses_none","prompt":[]}}',
      '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"ses_none"}}',
      '{"jsonrpc":"2.0","method":"no/such/notification"}',
      '{"jsonrpc":"2.0","id":"never asked","result":{}}',
      "\u0000\u2028",
      "",
    ];
    await editor.write(`${garbage.join("\n")}\n`);
    const big = `{"jsonrpc":"2.0","id":"big","method":"session/prompt","params":{"sessionId":"${thread.id}","prompt":[`;
    await editor.write(`${big}${"x".repeat(33 * 1024 * 1024)}\n`);
    assert.deepEqual(await thread.prompt("hello"), { stopReason: "end_turn" });
    assert.equal(thread.said(), "Good morning.");
    const codes = editor.lines
      .map((line) => JSON.parse(line) as { id?: unknown; error?: { code: number } })
      .flatMap(({ id, error }) => (error === undefined ? [] : [[id, error.code]]));
    assert.deepEqual(
      codes.filter(([id]) => id !== null),
      [
        ["a", -32_601],
        ["b", -32_602],
        ["c", -32_002],
        ["big", -32_600],
      ],
    );
    assert.equal(codes.filter(([id]) => id === null).length, 5);
  });

  test("and fields that nobody knows do no harm", async () => {
    await using it = await talariaOn([says("Good morning.")]);
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    const answer = await editor.agent.request<unknown>("session/prompt", {
      sessionId: thread.id,
      prompt: [{ type: "text", text: "hello", shape: "round", annotations: { audience: ["user"], x: 1 } }],
      colour: "red",
      _meta: { anything: [1, 2] },
    });
    assert.deepEqual(answer, { stopReason: "end_turn" });
  });
});

describe("settings that cannot be read", () => {
  test("are told when a session is to be opened, and mended without starting again", async () => {
    await using it = await talariaOn([says("Good morning.")]);
    const file = join(it.home, "config.yaml");
    const settings = await readFile(file, "utf8");
    await writeFile(file, `${settings}approvals: 3\n`);
    await using editor = await editorOn(it);
    await assert.rejects(newThread(editor, it.cwd), /config\.yaml.*approvals/s);
    assert.match(editor.stderr(), /^talaria: .*config\.yaml.*approvals/s);
    await writeFile(file, settings);
    const thread = await newThread(editor, it.cwd);
    assert.deepEqual(await thread.prompt("hello"), { stopReason: "end_turn" });
  });

  test("fail the check that needs no editor; otherwise it is one line", async () => {
    await using it = await talariaOn([]);
    const good = await it.run(["acp", "--check"]);
    assert.deepEqual([good.code, good.stderr], [0, ""]);
    assert.match(
      good.stdout,
      /^acp ok: protocol 1, Talaria \d+\.\d+\.\d+, runtime loop, model gpt-5\.5 \(mine\), \d+ commands\n$/,
    );
    await writeFile(join(it.home, "config.yaml"), "approvals: 3\n");
    const bad = await it.run(["acp", "--check"]);
    assert.deepEqual([bad.code, bad.stdout], [2, ""]);
    assert.match(bad.stderr, /approvals/);
    assert.equal(it.model.requests.length, 0);
  });
});
