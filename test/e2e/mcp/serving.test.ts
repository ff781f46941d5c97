import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { processesOf } from "../codex/codex-talaria.ts";
import { whenChanged } from "../codex/watching.ts";
import { says, secretKey, talariaOn } from "../endpoint.ts";
import { type Talaria, talaria } from "../talaria.ts";
import { connected } from "./client.ts";

const list = { todos: [{ id: "1", content: "carry the message", status: "in_progress" }] };

describe("talaria mcp", { timeout: 120_000 }, () => {
  test("offers its tools with their schemas, and a client that only looks leaves no session", async () => {
    await using it = await talaria();
    {
      await using us = await connected(it);
      const { tools } = await us.client.listTools();
      assert.partialDeepStrictEqual(
        tools.find(({ name }) => name === "todo"),
        {
          inputSchema: {
            type: "object",
            properties: { todos: { type: "array", items: { required: ["id", "content"] } } },
          },
          annotations: { readOnlyHint: true, openWorldHint: false },
        },
      );
      const names = tools.map(({ name }) => name);
      for (const kept of [
        "terminal",
        "process",
        "read_file",
        "write_file",
        "patch",
        "search_files",
        "clarify",
      ])
        assert.ok(!names.includes(kept), kept);
      assert.deepEqual(us.client.getServerVersion(), { name: "talaria", title: "Talaria", version: "0.1.0" });
    }
    assert.match((await it.run(["sessions", "list"])).stdout, /^There are no sessions yet/);
  });

  test("runs a tool with all of its arguments, in one session that has the client's name", async () => {
    await using it = await talaria();
    await using us = await connected(it);
    assert.match((await us.call("todo", list)).text, /carry the message/);
    assert.match((await us.call("todo")).text, /carry the message/, "the same session");
    const { lines } = await it.run(["sessions", "list", "--json"]);
    assert.partialDeepStrictEqual(lines, [{ surface: "mcp", title: "tester", cwd: it.cwd }]);
    assert.equal(lines.length, 1);
  });

  test("finds what was said in a session of the person", async () => {
    await using it = await talariaOn([says("Herons fly at dusk.")]);
    await it.run(["run", "what flies at dusk?"]);
    await using us = await connected(it);
    const { text, isError } = await us.call("session_search", { query: "herons" });
    assert.equal(isError, false);
    assert.match(text, /«Herons» fly at dusk/);
  });

  test("answers a call that cannot be as a result, with the sentence", async () => {
    await using it = await talaria();
    await using us = await connected(it);
    const bad = await us.call("session_search", { limit: "many" });
    assert.equal(bad.isError, true);
    assert.match(bad.text, /^session_search was not run, because its arguments do not fit:\n- limit: /);
    const unknown = await us.call("launch_rocket");
    assert.equal(unknown.isError, true);
    assert.match(unknown.text, /^There is no tool "launch_rocket"\. There are: session_search, todo/);
    const kept = await us.call("terminal", { command: "touch tripped" });
    assert.equal(kept.isError, true);
    assert.match(kept.text, /^terminal is not offered here now/);
    assert.equal((await it.run(["sessions", "list"])).stdout.match(/^ses_/gm)?.length, 1);
  });

  test("answers a hundred calls at once, each with its own result", async () => {
    await using it = await talaria();
    await using us = await connected(it);
    const words = Array.from({ length: 100 }, (_, at) => `word${at}`);
    const results = await Promise.all(words.map((query) => us.call("session_search", { query })));
    assert.deepEqual(
      results.map(({ text }) => /word\d+/.exec(text)?.[0]),
      words,
    );
  });

  test("masks the person's secrets in what a tool gives", async () => {
    await using it = await talariaOn([]);
    await writeFile(join(it.cwd, "notes.txt"), `the key is ${secretKey}\n`);
    await using us = await connected(it, { args: ["--with-local-tools"] });
    const { text } = await us.call("read_file", { path: "notes.txt" });
    assert.match(text, /the key is/);
    assert.ok(!text.includes(secretKey));
  });
});

describe("what talaria mcp offers", { timeout: 120_000 }, () => {
  test("is limited by --tools, and widened by --with-local-tools", async () => {
    await using it = await talaria();
    await using few = await connected(it, { args: ["--tools", "todo, session_search"] });
    assert.deepEqual(await few.names(), ["session_search", "todo"]);
    await using local = await connected(it, { args: ["--with-local-tools", "--tools", "file"] });
    assert.deepEqual((await local.names()).toSorted(), ["patch", "read_file", "search_files", "write_file"]);
  });

  test("has clarify for a client that can show questions, and not for a worker", async () => {
    await using it = await talaria();
    const elicit = saysBlue;
    await using us = await connected(it, { elicit });
    assert.ok((await us.names()).includes("clarify"));
    assert.deepEqual(await us.call("clarify", { question: "Which colour?", choices: ["red", "blue"] }), {
      text: "blue",
      isError: false,
    });
    await using worker = await connected(it, { elicit, env: { TALARIA_TASK: "card-1" } });
    const names = await worker.names();
    assert.ok(!names.includes("clarify") && !names.includes("delegate_task"), names.join());
    assert.ok(names.includes("todo"));
  });

  test("leaves out what is switched off", async () => {
    await using it = await talaria();
    await settings(it, "tools: { disabled: [todo] }\n");
    await using us = await connected(it);
    assert.ok(!(await us.names()).includes("todo"));
    assert.match((await us.call("todo", list)).text, /^todo is not offered here now: it is switched off/);
  });
});

const saysBlue = () => ({ action: "accept" as const, content: { answer: "blue" } });

describe("a call that takes long", { timeout: 120_000 }, () => {
  const off = 'approvals: { mode: "off" }\n';

  test("tells its output while it runs, to a client that wants to know", async () => {
    await using it = await talaria();
    await settings(it, off);
    await using us = await connected(it, { args: ["--with-local-tools"] });
    const told: string[] = [];
    const command = "echo first; until [ -e go ]; do sleep 0.05; done; echo last";
    const { text } = await us.call(
      "terminal",
      { command },
      {
        onprogress({ message = "" }) {
          told.push(message);
          if (message.includes("first")) void writeFile(join(it.cwd, "go"), "");
        },
      },
    );
    assert.match(text, /first\nlast/);
    assert.match(told.join(""), /first/);
  });

  test("is stopped with whatever it has started when the client cancels it, and the next one works", async () => {
    await using it = await talaria();
    await settings(it, off);
    await using us = await connected(it, { args: ["--with-local-tools"] });
    const stop = new AbortController();
    const call = us.call("terminal", { command: endless }, { signal: stop.signal });
    await begun(it);
    assert.match((await processesOf(it)).join("\n"), /sleep 6173/);
    stop.abort();
    await assert.rejects(call);
    await gone(it, /sleep 6173/);
    assert.equal((await us.call("todo")).isError, false);
  });

  test("is stopped when the client leaves", async () => {
    await using it = await talaria();
    await settings(it, off);
    const us = await connected(it, { args: ["--with-local-tools"] });
    const call = us.call("terminal", { command: endless }).catch(() => {});
    await begun(it);
    await us[Symbol.asyncDispose]();
    await call;
    await gone(it, /sleep 6173/);
    await gone(it, new RegExp(`^${us.pid} `));
  });
});

async function settings(it: Talaria, text: string): Promise<void> {
  await mkdir(it.home, { recursive: true, mode: 0o700 });
  await writeFile(join(it.home, "config.yaml"), text, { mode: 0o600 });
}

/** A command that does not end by itself. */
const endless = "sleep 6173 & touch begun; wait";

const begun = (it: Talaria): Promise<void> =>
  whenChanged(it.cwd, async () => (await readdir(it.cwd)).includes("begun"));

/** Resolves when nothing like that of it runs any more. How long that may take is the test's to say. */
async function gone(it: Talaria, what: RegExp): Promise<void> {
  while ((await processesOf(it)).some((process) => what.test(process)));
}
