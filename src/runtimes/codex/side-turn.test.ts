import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pinnedCodex } from "../../../test/codex-schema/pinned-codex.ts";
import type { EndedEvent, TurnEvent } from "../../core/events.ts";
import type { Message } from "../../core/messages.ts";
import { systemClock } from "../../lib/clock.ts";
import { portsOf, turnOf } from "../runtime.suite.ts";
import type { Ports, Runtime, Turn } from "../runtime.ts";
import { codexRuntime } from "./codex.ts";
import type { CodexPlan } from "./plan.ts";
import type { AppServer } from "./process/app-server.ts";
import { type AppServerPool, appServerPool } from "./process/pool.ts";
import { type RealPlace, patience, realPlace } from "./real-codex.suite.ts";
import { fieldsOf, listOf } from "./wire/fields.ts";

const hello: readonly Message[] = [
  { role: "user", content: "hello" },
  { role: "assistant", content: "Hello." },
];

describe("beside a conversation, on the real codex", { concurrency: 2 }, () => {
  test("it runs while a turn of the thread does, which goes on as if nothing were", async () => {
    await using fixture = await realPlace(pinnedCodex(), [
      { when: "^hello", reply: [{ text: "Hello." }] },
      { when: "^long", reply: [{ text: "Let me" }, { slow: { ms: 300 } }, { text: " see." }] },
      { when: "^look back", reply: [{ text: "NOTHING" }] },
      { when: "^and now", reply: [{ text: "Done." }] },
    ]);
    await using it = runtimeOn(fixture);
    await end(it.runtime.run(turnOf({ input: "hello" }), it.ports));
    const long = end(it.runtime.run(turnOf({ history: hello, input: "long" }), it.ports));
    await fixture.model.waitForRequest(2);
    const beside = await end(sideTurn(it, turnOf({ history: hello, input: "look back" })));
    assert.partialDeepStrictEqual(beside, { outcome: "done", text: "NOTHING" });
    assert.equal(beside.side, undefined);
    assert.equal((await long).outcome, "done");
    const history: Message[] = [
      ...hello,
      { role: "user", content: "long" },
      { role: "assistant", content: "." },
    ];
    await end(it.runtime.run(turnOf({ history, input: "and now" }), it.ports));
    const last = JSON.stringify(fixture.model.requests.at(-1)?.body);
    assert.ok(last.includes("long") && !last.includes("look back"));
    assert.equal(fixture.registered.size, 1, "one process for both");
    const files = await readdir(join(fixture.home, "sessions"), { recursive: true });
    assert.equal(files.filter((name) => name.endsWith(".jsonl")).length, 1);
  });

  test("a process that has not loaded the thread can fork it, with what was said elsewhere since", async () => {
    await using fixture = await realPlace(pinnedCodex(), [
      { when: "^hello", reply: [{ text: "Hello." }] },
      { when: "^look back", reply: [{ text: "NOTHING" }] },
    ]);
    await using first = runtimeOn(fixture);
    await end(first.runtime.run(turnOf({ input: "hello" }), first.ports));
    await first[Symbol.asyncDispose]();
    await using second = runtimeOn(fixture, first.ports.binding);
    const since: Message[] = [
      { role: "user", content: "said on the loop" },
      { role: "assistant", content: "I see." },
    ];
    const ended = await end(sideTurn(second, turnOf({ history: [...hello, ...since], input: "look back" })));
    assert.equal(ended.outcome, "done");
    const asked = JSON.stringify(fixture.model.requests.at(-1)?.body);
    assert.ok(asked.includes("Hello.") && asked.includes("said on the loop"));
  });

  test("it sees no keys, writes nothing, and starts no server that the project names", async () => {
    const looks = "exec 2>&1; cat ../keys/id; touch made.txt; echo looked";
    await using fixture = await realPlace(pinnedCodex(), [
      { when: "^hello", reply: [{ text: "Hello." }] },
      { when: "^look back", reply: [{ call: { tool: "exec_command", args: { cmd: looks } } }] },
      { when: "^look back", reply: [{ text: "NOTHING" }] },
    ]);
    const keys = join(fixture.work, "../keys");
    await mkdir(keys);
    await writeFile(join(keys, "id"), "a-key\n");
    await using it = runtimeOn(fixture, undefined, { hiddenInSideTurns: [keys, join(keys, "none")] });
    const at = { cwd: fixture.work };
    await end(it.runtime.run({ ...turnOf({ input: "hello" }), ...at }, it.ports));
    await trustedServer(fixture, join(keys, "../started"));
    const beside = await end(sideTurn(it, { ...turnOf({ history: hello, input: "look back" }), ...at }));
    assert.equal(beside.text, "NOTHING", beside.fault?.message);
    const told = JSON.stringify(resultsIn(fixture.model.requests.at(-1)?.body));
    assert.match(told, /Permission denied[^]*Read-only file system[^]*looked/);
    assert.doesNotMatch(told, /a-key/);
    assert.ok(!existsSync(join(keys, "../started")));
  });

  test("without a thread, or with one of another history, it says so and runs nothing", async () => {
    await using fixture = await realPlace(pinnedCodex(), [{ when: "^hello", reply: [{ text: "Hello." }] }]);
    await using it = runtimeOn(fixture);
    const none = await end(sideTurn(it, turnOf({ input: "look back" })));
    assert.match(none.fault?.message ?? "", /no thread of this session/);
    await end(it.runtime.run(turnOf({ history: hello, input: "hello" }), it.ports));
    const other = await end(sideTurn(it, turnOf({ history: [], input: "look back" })));
    assert.match(other.fault?.message ?? "", /does not know the conversation/);
    assert.equal(fixture.model.total, 1);
  });
});

test("a codex that forks a thread which is kept or may write is not used, and the fork is left", async () => {
  const harmless = {
    thread: { id: "fork", ephemeral: true },
    sandbox: { type: "readOnly" },
    approvalPolicy: "never",
  };
  const replies: readonly object[] = [
    { ...harmless, thread: { id: "fork" } },
    { ...harmless, sandbox: { type: "workspaceWrite" } },
    { ...harmless, approvalPolicy: "on-request" },
  ];
  const forked = ["thread/fork", "thread/unsubscribe"];
  for (const reply of replies) {
    const asked: string[] = [];
    const ports = bound(portsOf([], patience));
    await using runtime = codexOn(poolOf(reply, asked));
    const ended = await end(runtime.sideTurn?.(turnOf({ input: "look back" }), ports));
    assert.match(ended.fault?.message ?? "", /cannot fork a thread that is kept nowhere/);
    assert.deepEqual(asked, ["config/read", ...forked, ...forked], "with hidden places, and without");
  }
});

type Running = AsyncDisposable & { readonly runtime: Runtime; readonly ports: Ports };

/** A program that the project's own settings name, in a project that the person trusts. */
async function trustedServer({ home, work }: RealPlace, mark: string): Promise<void> {
  await mkdir(join(work, ".codex"));
  const server = `[mcp_servers.project]\ncommand = "/usr/bin/touch"\nargs = ["${mark}"]\n`;
  await writeFile(join(work, ".codex/config.toml"), server);
  await writeFile(join(home, "config.toml"), `[projects."${work}"]\ntrust_level = "trusted"\n`);
}

function runtimeOn(fixture: RealPlace, binding?: Ports["binding"], more: Partial<CodexPlan> = {}): Running {
  const pool = appServerPool({
    clock: systemClock,
    start: (launch, signal) => fixture.start(launch, { signal }),
  });
  const runtime = codexOn(pool, fixture, more);
  const ports = portsOf([], patience);
  return {
    runtime,
    ports: binding === undefined ? ports : { ...ports, binding },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

function codexOn(pool: AppServerPool, fixture?: RealPlace, more: Partial<CodexPlan> = {}): Runtime {
  const launch = (fixture?.launch() ?? {}) as ReturnType<RealPlace["launch"]>;
  const common = { provider: "demo", loopRouteExists: false, network: false, mcpServers: {}, warnings: [] };
  return codexRuntime({
    pool,
    plan: async () => ({ ...common, launch, model: "gpt-5.5", ...more }),
    offer: new Map([["echo", "shown"]]),
    frames: { listen: () => () => {} },
  });
}

const resultsIn = (body: Readonly<Record<string, unknown>> = {}): readonly unknown[] =>
  listOf(body["input"]).filter((item) => fieldsOf(item)["type"] === "function_call_output");

/** A process that answers a fork with this. */
function poolOf(reply: object, asked: string[]): AppServerPool {
  const server = {
    userAgent: "talaria/9.9.9",
    request: async (method: string) => {
      asked.push(method);
      return method === "thread/fork" ? reply : {};
    },
  } as unknown as AppServer;
  return {
    lease: async () => ({ server, [Symbol.dispose]() {} }),
    drain() {},
    async [Symbol.asyncDispose]() {},
  } as unknown as AppServerPool;
}

const bound = (ports: Ports): Ports => ({
  ...ports,
  binding: { load: async () => ({ thread: "parent", at: 0, tools: "" }), save: async () => {} },
});

const sideTurn = ({ runtime, ports }: Running, turn: Turn): AsyncIterable<TurnEvent> | undefined =>
  runtime.sideTurn?.(turn, ports);

async function end(events: AsyncIterable<TurnEvent> | undefined): Promise<EndedEvent> {
  assert.ok(events !== undefined);
  const last = (await Array.fromAsync(events)).at(-1);
  assert.ok(last?.type === "ended");
  return last;
}
