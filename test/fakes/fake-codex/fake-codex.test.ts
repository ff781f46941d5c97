import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { text as streamText } from "node:stream/consumers";
import { testFolder } from "../../temp-folder.ts";
import type { Child } from "../../../src/lib/process/child.ts";
import type { CodexSchema } from "../../codex-schema/codex-schema.ts";
import { generateCodexSchema, spawnCodex } from "../../codex-schema/pinned-codex.ts";
import { recordings } from "../../codex-schema/recordings.ts";
import { drive, type Driver, initialize, pick, text } from "./driver.ts";
import { fakeChild } from "./fake-child.ts";
import { makeBed } from "./testbed.ts";
import { wireShape } from "./wire-shape.ts";

const program = join(import.meta.dirname, "fake-codex");
const options = { timeout: 20_000 };

describe("the fake codex as a program", () => {
  let schema: CodexSchema & AsyncDisposable;
  before(async () => {
    schema = await generateCodexSchema();
  });
  after(() => schema[Symbol.asyncDispose]());

  test("tells the version that the script wants", options, async (t) => {
    const home = await codexHome(t, { version: "0.130.0" });
    const child = await run(t, ["--version"], home.env);
    assert.equal(await streamText(child.stdout), "codex-cli 0.130.0\n");
    assert.equal((await child.exited).code, 0);
  });

  test("says what is wrong with its script or its arguments, and ends", options, async (t) => {
    const home = await codexHome(t, { turns: 3 });
    const broken = await run(t, ["app-server"], home.env);
    const { code, stderrTail } = await broken.exited;
    assert.equal(code, 98);
    assert.match(stderrTail, /script\.turns must be a list/);
    const other = await run(t, ["serve"], home.env);
    assert.equal((await other.exited).code, 2);
  });

  test(
    "a client that keeps to the schema is let go with 0, and everything is in the log",
    options,
    async (t) => {
      const home = await codexHome(t, { turns: [{ emit: [{ agent: "hello" }] }] });
      const env = {
        ...home.env,
        FAKE_CODEX_LOG: home.log,
        FAKE_CODEX_SCHEMA: schema.file,
        SOMETHING: "secret",
      };
      const driver = await serve(t, env, "-c", 'model="gpt-6"');
      await initialize(driver);
      const thread = await driver.call("thread/start", { cwd: "/w" });
      assert.equal(pick(thread, "result", "model"), "gpt-6");
      await driver.call("turn/start", {
        threadId: pick(thread, "result", "thread", "id"),
        input: [text("hi")],
      });
      await driver.next("turn/completed");
      driver.child.closeInput();
      assert.equal((await driver.ended).code, 0);
      const lines = (await readFile(home.log, "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Line);
      const { argv, env: names } = lines[0]!.msg as { argv: string[]; env: string[] };
      assert.deepEqual(argv, ["app-server", "-c", 'model="gpt-6"']);
      assert.ok(names.includes("SOMETHING"));
      const frames = lines.filter(({ dir }) => dir !== "note").map(({ dir, msg }) => ({ dir, msg }));
      assert.deepEqual(
        frames.filter(({ dir }) => dir === "c>s"),
        driver.wire.filter(({ dir }) => dir === "c>s"),
      );
      assert.deepEqual(
        frames.filter(({ dir }) => dir === "s>c"),
        driver.wire.filter(({ dir }) => dir === "s>c"),
      );
    },
  );

  test("a client that breaks the schema is let go with 97, and the log says why", options, async (t) => {
    const home = await codexHome(t, { log: "wire.jsonl", schema: schema.file });
    const driver = await serve(t, { CODEX_HOME: home.path });
    await initialize(driver);
    await driver.call("thread/start", { cwd: "/w", approval_policy: "never" });
    process.kill(driver.child.pid, "SIGTERM");
    assert.equal((await driver.ended).code, 97);
    const lines = (await readFile(join(home.path, "wire.jsonl"), "utf8")).split("\n");
    assert.equal(lines.filter((line) => line.includes('"violation":["/params: unknown property')).length, 1);
  });

  test("a thread belongs to one live process, and outlives it", options, async (t) => {
    const home = await codexHome(t, {
      turns: [{ emit: [{ agent: "one" }, { silence: true }] }, { emit: [{ agent: "two" }] }],
    });
    const start = async (): Promise<Driver> => {
      const driver = await serve(t, home.env);
      await initialize(driver);
      return driver;
    };
    const first = await start();
    const threadId = String(pick(await first.call("thread/start", { cwd: "/w" }), "result", "thread", "id"));
    await first.call("turn/start", { threadId, input: [text("hi")] });
    await first.until("one", (frame) => pick(frame, "params", "item", "text") === "one");
    const second = await start();
    const refused = await second.call("thread/resume", { threadId, excludeTurns: true });
    assert.match(String(pick(refused, "error", "message")), /already has an active writer/);
    process.kill(first.child.pid, "SIGKILL");
    await first.ended;
    const resumed = await second.call("thread/resume", { threadId });
    assert.equal(pick(resumed, "result", "thread", "turns", 0, "status"), "interrupted");
    assert.equal(pick(resumed, "result", "thread", "turns", 0, "items", 1, "text"), "one");
    await second.call("turn/start", { threadId, input: [text("hi")] });
    const ended = await second.next("turn/completed");
    assert.equal(pick(ended, "params", "turn", "items", 0, "text"), "two");
    assert.equal((await (second.child.closeInput(), second.ended)).code, 0);
  });

  test("can really be killed, stopped, cut short and deaf", options, async (t) => {
    const at = { event: "initialize" };
    const ends = await Promise.all(
      ["sigkill", "exit:5", "partial"].map(async (fault) => {
        const home = await codexHome(t, { faults: [{ at, do: fault }] });
        const driver = await serve(t, home.env);
        await driver.send({
          id: 1,
          method: "initialize",
          params: { clientInfo: { name: "x", version: "1" } },
        });
        const { code, signal } = await driver.ended;
        return [fault, code, signal, driver.wire.length];
      }),
    );
    assert.deepEqual(ends, [
      ["sigkill", null, "SIGKILL", 2],
      ["exit:5", 5, null, 2],
      ["partial", 0, null, 1],
    ]);
    const home = await codexHome(t, { faults: [{ at, do: "noread" }] });
    const deaf = await serve(t, home.env);
    await initialize(deaf);
    let taken = false;
    const filler = "x".repeat(3 * 1024 * 1024);
    const sending = deaf.child.write(filler).then(
      () => (taken = true),
      () => {},
    );
    process.kill(deaf.child.pid, "SIGTERM");
    assert.equal((await deaf.ended).code, 0);
    await sending;
    assert.equal(taken, false);
  });

  test(
    "stopped, it lives and does nothing",
    { ...options, skip: process.platform !== "linux" },
    async (t) => {
      const home = await codexHome(t, { faults: [{ at: { event: "initialize" }, do: "sigstop" }] });
      const driver = await serve(t, home.env);
      await initialize(driver);
      const state = async (): Promise<string> =>
        (await readFile(`/proc/${driver.child.pid}/stat`, "utf8")).replace(/^.*\) (.).*$/s, "$1");
      while ((await state()) !== "T") continue; // the signal comes right after the frame that we have
      process.kill(driver.child.pid, "SIGKILL");
      assert.equal((await driver.ended).signal, "SIGKILL");
    },
  );
});

describe("the fake codex in memory", () => {
  test("steps that no comparison with the real codex covers look like its recordings", options, async () => {
    await using schema = await generateCodexSchema();
    const mcp = { server: "s", tool: "t", args: { q: 1 }, result: "ok" };
    const emit = [
      { mcp: { ...mcp, approve: true } },
      { mcp: { ...mcp, approve: true } },
      { mcp: { server: "s", tool: "u", error: "broken" } },
      {
        elicit: {
          server: "s",
          tool: "v",
          message: "Which?",
          schema: { type: "object", properties: { c: { type: "string" } } },
        },
      },
      { reasoning: "summary", raw: "raw words" },
      { exec: { cmd: "ls", output: "a\nb\n", stream: true } },
      { exec: { cmd: "touch x", escalate: "May I?" } },
      { agent: "done" },
    ];
    await using bed = await makeBed({ turns: [{ emit }] }, { schema });
    await bed.turn();
    for (const result of [
      { action: "accept", _meta: { persist: "session" } },
      { action: "accept", content: { c: "red" } },
    ]) {
      const { id } = await bed.driver.next("mcpServer/elicitation/request");
      await bed.driver.send({ id, result });
    }
    const { id } = await bed.driver.next("item/commandExecution/requestApproval");
    await bed.driver.send({ id, result: { decision: "accept" } });
    await bed.driver.next("turn/completed");
    assert.deepEqual(bed.child.violations, []);
    const judge = schema.conversation();
    const problems = bed.driver.wire.flatMap(({ dir, msg }) =>
      dir === "c>s" ? judge.validateClientFrame(msg) : judge.validateServerFrame(msg),
    );
    assert.deepEqual(problems, []);
    const real = wireShape([...recordings().values()].flat(), () => true).fields;
    for (const [name, keys] of wireShape(bed.driver.wire, () => true).fields) {
      const known = real.get(name);
      for (const each of keys)
        assert.ok(
          known?.has(each),
          `${name} has the fields ${each}; recorded are\n${[...(known ?? [])].join("\n")}`,
        );
    }
  });

  test("a turn that the script does not foresee fails, and is a violation", options, async () => {
    await using bed = await makeBed({ turns: [{ expect: "^only this$", emit: [] }] });
    await bed.turn("something else");
    const end = await bed.driver.next("turn/completed");
    assert.match(String(pick(end, "params", "turn", "error", "message")), /no turn for “something else”/);
    assert.equal(bed.child.violations.length, 1);
    bed.child.closeInput();
    assert.equal((await bed.driver.ended).code, 97);
  });

  test("turns are taken by the words they expect, `otherwise` takes the rest", options, async () => {
    const turns = [{ expect: "^b", emit: [{ agent: "B" }] }, { emit: [{ agent: "first" }] }];
    await using bed = await makeBed({ turns, otherwise: [{ agent: "rest" }] });
    const said: unknown[] = [];
    for (const words of ["a", "b", "b", "c"]) {
      await bed.turn(words);
      said.push(pick(await bed.driver.next("turn/completed"), "params", "turn", "items", 0, "text"));
    }
    assert.deepEqual(said, ["first", "B", "rest", "rest"]);
  });

  test("calls that the model makes at once can be answered in any order", options, async () => {
    const calls = ["x", "y"].map((tool) => ({ dynamicTool: { namespace: "host", tool } }));
    await using bed = await makeBed({ turns: [{ emit: [{ parallel: calls }, { agent: "done" }] }] });
    await bed.turn();
    const [x, y] = [await bed.driver.next("item/tool/call"), await bed.driver.next("item/tool/call")];
    for (const call of [y, x])
      await bed.driver.send({ id: call?.["id"], result: { contentItems: [], success: true } });
    await bed.driver.next("turn/completed");
    const done = bed.driver.wire.filter(({ msg }) => msg["method"] === "item/completed");
    assert.deepEqual(done.map(({ msg }) => pick(msg, "params", "item", "tool")).filter(Boolean), ["y", "x"]);
  });

  test("a command in the background outlives its turn until the client cleans up", options, async () => {
    const emit = [{ exec: { cmd: "serve", output: "up\n", background: true } }, { agent: "started" }];
    await using bed = await makeBed({ turns: [{ emit }] });
    const turn = await bed.turn();
    await bed.driver.next("turn/completed");
    await bed.driver.call("thread/backgroundTerminals/clean", { threadId: bed.thread });
    const { params } = await bed.driver.next("item/completed");
    assert.deepEqual([pick(params, "turnId"), pick(params, "item", "exitCode")], [turn, -1]);
  });

  test(
    "threads of the script can be resumed, and an ephemeral fork leaves nothing behind",
    options,
    async () => {
      const id = "01a1e074-0000-7000-8000-000000000001";
      const threads = [{ id, cwd: "/old", turns: [{ user: "hello", agent: "hi" }] }];
      await using bed = await makeBed({ threads, otherwise: [{ agent: "ok" }] });
      const resumed = await bed.driver.call("thread/resume", { threadId: id });
      assert.equal(pick(resumed, "result", "thread", "preview"), "hello");
      const fork = await bed.driver.call("thread/fork", {
        threadId: id,
        ephemeral: true,
        excludeTurns: true,
      });
      const forkId = String(pick(fork, "result", "thread", "id"));
      await bed.driver.call("turn/start", { threadId: forkId, input: [text("x")] });
      await bed.driver.next("turn/completed");
      const read = async (threadId: string): Promise<unknown> =>
        pick(
          await bed.driver.call("thread/read", { threadId, includeTurns: true }),
          "result",
          "thread",
          "turns",
          "length",
        );
      assert.equal(await read(id), 1);
      assert.equal(
        pick(await bed.driver.call("thread/read", { threadId: forkId, includeTurns: true }), "error", "code"),
        -32601,
      );
    },
  );

  test(
    "the same script gives the same ids, and a notification the client does not want is not sent",
    options,
    async () => {
      const wires = await Promise.all(
        [1, 2].map(async () => {
          await using driver = drive(fakeChild({ otherwise: [{ agent: "ok" }] }));
          await initialize(driver, { experimentalApi: true, optOutNotificationMethods: ["item/started"] });
          const threadId = pick(await driver.call("thread/start", {}), "result", "thread", "id");
          await driver.call("turn/start", { threadId, input: [text("x")] });
          await driver.next("turn/completed");
          return driver.wire.map(({ msg }) => [
            msg["method"],
            pick(msg, "params", "item", "id"),
            pick(msg, "params", "turnId"),
          ]);
        }),
      );
      assert.deepEqual(wires[0], wires[1]);
      assert.equal(wires[0]?.filter(([method]) => method === "item/started").length, 0);
    },
  );
});

type Line = { readonly dir: string; readonly msg: unknown };

type Home = { readonly path: string; readonly log: string; readonly env: Readonly<Record<string, string>> };

/** Removed with the test, also if that runs out of time. */
async function codexHome(t: TestContext, script: object): Promise<Home> {
  const path = await testFolder(t);
  const file = join(path, "fake-codex.json");
  await writeFile(file, JSON.stringify(script));
  return { path, log: join(path, "log.jsonl"), env: { CODEX_HOME: path, FAKE_CODEX_SCRIPT: file } };
}

async function run(t: TestContext, args: readonly string[], env: Home["env"]): Promise<Child> {
  const child = await spawnCodex(program, args, env);
  t.after(() => child.kill());
  return child;
}

const serve = async (t: TestContext, env: Home["env"], ...args: readonly string[]): Promise<Driver> =>
  drive(await run(t, ["app-server", ...args], env));
