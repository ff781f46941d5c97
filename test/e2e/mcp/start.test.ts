import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { pidOf, processesOf } from "../codex/codex-talaria.ts";
import { whenChanged } from "../codex/watching.ts";
import { type Talaria, talaria } from "../talaria.ts";

const hello = helloWith({});

function helloWith(capabilities: object): string {
  const params = { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "hand", version: "0" } };
  return line({ id: 1, method: "initialize", params });
}

function call(id: number, name: string, args: object): string {
  return line({ id, method: "tools/call", params: { name, arguments: args } });
}

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

describe("a start of talaria mcp that cannot be", { timeout: 120_000, concurrency: 2 }, () => {
  test("with settings that are broken ends with 2, and says file and line where people look", async () => {
    await using it = await talaria();
    await mkdir(it.home, { mode: 0o700 });
    await writeFile(join(it.home, "config.yaml"), "model:\n  default: [\n", { mode: 0o600 });
    await refuses(it, [], 2, /config\.yaml:3:1: model\.default: /);
  });

  test("with tools that are not there, or not offered, ends with 2", async () => {
    await using it = await talaria();
    await refuses(it, ["--tools", "todo,rockets"], 2, /No tool or toolset "rockets" is offered.*\n.*todo/);
    await refuses(it, ["--tools", "terminal"], 2, /"terminal" is offered.*\n.*--with-local-tools/);
    await refuses(it, ["--toolz"], 2, /unknown option/);
  });

  test("with the database of a newer Talaria says so and ends", async () => {
    await using it = await talaria();
    await it.run(["run", "-q", "hello"]);
    new DatabaseSync(join(it.home, "talaria.db")).exec("pragma user_version = 99");
    await refuses(it, [], 1, /newer/);
  });

  test("with a home that is a file says so and ends", async () => {
    await using it = await talaria();
    await writeFile(it.home, "");
    const { code, stdout, stderr } = await it.run(["mcp"], { input: hello });
    assert.ok(code === 1 || code === 2, stderr);
    assert.deepEqual([stdout, stderr.includes(it.home)], ["", true], stderr);
  });
});

async function refuses(it: Talaria, args: readonly string[], code: number, why: RegExp): Promise<void> {
  const ended = await it.run(["mcp", ...args], { input: hello });
  assert.deepEqual([ended.code, ended.stdout], [code, ""], ended.stderr);
  assert.match(ended.stderr, why);
}

async function withoutAsking(it: Talaria): Promise<void> {
  await mkdir(it.home, { mode: 0o700 });
  await writeFile(join(it.home, "config.yaml"), 'approvals: { mode: "off" }\n', { mode: 0o600 });
}

describe("a client of talaria mcp", { timeout: 120_000, concurrency: 2 }, () => {
  test("that closes its end still hears what it asked for, and it ends with 0", async () => {
    await using it = await talaria();
    const ended = await it.run(["mcp"], { input: hello + line({ id: 2, method: "tools/list" }) });
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    assert.deepEqual(
      ended.lines.map(({ id }) => id),
      [1, 2],
    );
  });

  test("that closes its end hears what comes of the calls it made before, too", async () => {
    await using it = await talaria();
    await withoutAsking(it);
    const command = "sleep 0.3; echo slow owl";
    const ended = await it.run(["mcp", "--with-local-tools"], {
      input: hello + call(2, "terminal", { command }) + call(3, "session_search", { query: "owl" }),
    });
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    const answers = new Map(ended.lines.map((answer) => [Number(answer.id), JSON.stringify(answer)]));
    assert.match(answers.get(2) ?? "", /slow owl/);
    assert.match(answers.get(3) ?? "", /"result"/);
  });

  for (const [when, waits] of [
    ["before it is asked", false],
    ["while it is asked", true],
  ] as const)
    test(`that closes its end ${when} cannot answer, and is told at once that the call was not run`, async () => {
      await using it = await talaria();
      const outside = { path: "../outside.txt", content: "hello\n" };
      const child = await it.start(["mcp", "--with-local-tools"]);
      await child.write(helloWith({ elicitation: {} }) + call(2, "write_file", outside));
      if (waits) await child.shows(/elicitation\/create/);
      child.closeInput();
      const { code, stderr, lines } = await child.finished;
      assert.equal(code, 0, stderr);
      const answer = lines.find(({ id, result }) => Number(id) === 2 && result !== undefined);
      assert.match(JSON.stringify(answer) ?? "", /write_file was not run: not asked: /);
    });

  test("that is killed while a call runs takes that along", async () => {
    await using it = await talaria();
    await withoutAsking(it);
    const asked = hello + call(2, "terminal", { command: "touch begun; sleep 6174" });
    const client = await it.shell(
      `(printf '%s' '${asked}'; exec sleep 600) | "$0" mcp --with-local-tools | cat; echo over`,
    );
    await whenChanged(it.cwd, async () => (await readdir(it.cwd)).includes("begun"));
    process.kill(await pidOf(it, /^\d+ cat/), "SIGKILL");
    process.kill(await pidOf(it, /^\d+ sleep 600/), "SIGKILL");
    await client.finished;
    assert.deepEqual(await processesOf(it), []);
  });

  test("that sends what is no message is told so, each time, and the next message is answered", async () => {
    await using it = await talaria();
    const input = [
      line({ id: 0, method: "tools/list" }),
      hello,
      "garbage\n",
      "\n",
      `[${hello.trim()}]\n`,
      line({ id: 2, method: "resources/list" }),
      line({ id: 3, method: "no/such" }),
      line({ method: "notifications/unheard" }),
      line({ id: 4, result: {} }),
      `{"id":5,"method":"ping"}\n`,
      line({ id: 6, method: "tools/call", params: { arguments: [] } }),
      line({ id: 7, method: "tools/list", params: { filler: "x".repeat(11 * 1024 * 1024) } }),
      `{"jsonrpc":"2.0","id":9,"method":"tools/list","params":${'{"a":'.repeat(20_000)}1${"}".repeat(20_001)}\n`,
      line({ id: 8, method: "ping" }),
    ].join("");
    const child = await it.start(["mcp"]);
    await child.write(input);
    await child.shows(/"id":8/);
    child.closeInput();
    const { code, lines, stderr } = await child.finished;
    assert.equal(code, 0, stderr);
    const answers = new Map(
      lines.filter(({ id }) => id !== null).map((answer) => [Number(answer.id), answer]),
    );
    const codeOf = (id: number): unknown =>
      (answers.get(id)?.["error"] as { code?: number } | undefined)?.code;
    assert.deepEqual([0, 1, 8].map(codeOf), [undefined, undefined, undefined]);
    assert.deepEqual([2, 3, 5, 7, 9].map(codeOf), [-32_601, -32_601, -32_600, -32_600, -32_600]);
    assert.ok(codeOf(6) !== undefined);
    const nameless = lines
      .filter(({ id }) => id === null)
      .map(({ error }) => (error as { code: number }).code);
    assert.deepEqual(nameless, [-32_700, -32_600]);
    assert.match(stderr, /the message is longer than|longer than \d+ bytes/i);
  });

  test("that ends it with a signal finds nothing left of it", async () => {
    await using it = await talaria();
    const child = await it.start(["mcp"]);
    await child.write(hello);
    await child.shows(/"id":1/);
    child.signal("SIGTERM");
    const { code, stderr } = await child.finished;
    assert.deepEqual([code, stderr], [143, ""]);
  });

  test("that is killed takes it along", async () => {
    await using it = await talaria();
    // The end of the pipe that a client holds, by somebody who dies without a word.
    const client = await it.shell(`(echo '${hello.trim()}'; exec sleep 600) | "$0" mcp`);
    await client.shows(/"id":1/);
    process.kill(await pidOf(it, /^\d+ sleep 600/), "SIGKILL");
    assert.equal((await client.finished).code, 0);
    assert.deepEqual(await processesOf(it), []);
  });
});
