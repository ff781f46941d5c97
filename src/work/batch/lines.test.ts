import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, test } from "node:test";
import { type Script, done, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestHome, testHome } from "../../../test/fakes/test-agent.ts";
import type { AgentDeps } from "../../agent/index.ts";
import type { TurnEvent } from "../../core/events.ts";
import { type TurnId, asId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import type { BatchLine, BatchResult } from "../../core/work/batch.ts";
import type { Turn } from "../../runtimes/runtime.ts";
import type { Store } from "../../store/store.ts";
import { pauseWork } from "../pause.ts";
import { settings } from "../work-world.suite.ts";
import { type BatchLines, batchLines } from "./lines.ts";

describe("a line of a batch", () => {
  test("is done once, whoever asks for it and however often, and keeps its answer", async () => {
    let turns = 0;
    await using it = await world((turn) => says(`Answer ${(turns += 1)}`, turn));
    const [first, same] = await Promise.all([it.run({ line: 1 }), it.run({ line: 1 })]);
    assert.deepEqual(first, same);
    assert.partialDeepStrictEqual(first, { status: "done", answer: "Answer 1", attempts: 1 });
    const other = await it.another({ pid: 2 }, () => assert.fail());
    assert.deepEqual(await other.run({ line: 1 }), first);
    assert.equal((await it.run({ line: 2 })).answer, "Answer 2");
  });

  test("that was cut off is done again, unless it had begun to do something", async () => {
    const begun = new EventEmitter();
    await using it = await world(async function* (turn, ports) {
      if (JSON.stringify(turn.input).includes("Write")) yield called(turn.id);
      begun.emit("turn");
      await once(ports.signal, "abort");
    });
    const [asks, writes] = [{ line: 1 }, { line: 2, text: "Write." }];
    for (const line of [asks, writes]) {
      const lost = assert.rejects(it.run(line), /killed/);
      await once(begun, "turn");
      if (line === writes) it.die();
      void lost;
    }
    const next = { pid: 2, isGone: ({ pid }: { readonly pid: number }) => pid === 1 };
    const { run } = await it.another(next, (turn) => says("Done.", turn));
    assert.partialDeepStrictEqual(await run(asks), { status: "done", answer: "Done.", attempts: 2 });
    const half = await run(writes);
    assert.partialDeepStrictEqual(half, { status: "interrupted", attempts: 1 });
    assert.match(half.error ?? "", /not done twice by itself/);
    assert.partialDeepStrictEqual(await run({ ...writes, again: true }), { status: "done", attempts: 2 });
    assert.partialDeepStrictEqual(await run(writes), { status: "done", attempts: 2 });
  });

  test("whose model was not reached is tried three times, and then has failed; again: once more", async () => {
    const turns: Turn[] = [];
    const fault = { code: "network", message: "no way", next: "" } as const;
    await using it = await world(async function* (turn) {
      turns.push(turn);
      yield { type: "ended", outcome: "failed", fault, text: "", calls: 0 };
    });
    const result = it.run({ line: 1 });
    while (turns.length < 3) await it.home.clock.advance(40_000);
    assert.partialDeepStrictEqual(await result, { status: "failed", attempts: 3, error: "no way" });
    assert.partialDeepStrictEqual(await it.run({ line: 1, again: true }), { status: "failed", attempts: 4 });
    assert.equal(turns.length, 4);
  });

  test("is not begun while work is paused, and its row goes", async () => {
    await using it = await world((turn) => says("Done.", turn));
    await pauseWork(it.home.disk, { at: 1, by: "me" });
    assert.partialDeepStrictEqual(await it.ask({ line: 1 }), { stopped: "paused" });
    assert.deepEqual(await it.home.disk.inbox.inState("waiting"), []);
    await pauseWork(it.home.disk, undefined);
    assert.equal((await it.run({ line: 1 })).status, "done");
  });

  test("waits for what others give back of the budget, and is not begun when that is too little", async () => {
    const asked: number[] = [];
    await using it = await world(async function* (turn) {
      asked.push(asked.length);
      yield* spending(turn, 150);
    });
    const limits = { total: { tokens: 1000 }, budget: { tokens: 500 } };
    const all = await Promise.all(Array.from({ length: 9 }, (_, at) => it.ask({ line: at, ...limits })));
    const stops = all.filter((each) => "stopped" in each);
    assert.deepEqual([asked.length, stops.length], [5, 4]);
    assert.match(stops[0]?.why ?? "", /^--budget does not allow more: 750 of 1,000 tokens are taken$/);
    assert.deepEqual(await it.home.disk.inbox.inState("waiting"), []);
    const more = { total: { tokens: 9000 }, budget: { tokens: 500 } };
    const later = await Promise.all(Array.from({ length: 9 }, (_, at) => it.run({ line: at, ...more })));
    assert.deepEqual([asked.length, new Set(later.map(({ status }) => status))], [9, new Set(["done"])]);
    assert.deepEqual(later[0]?.usage, { input: 150, cached: 0, output: 0, reasoning: 0 });
  });

  test("gives back what it did not need with the end of its turn, so that a kill after it takes nothing from others", async () => {
    await using it = await world(() => assert.fail());
    const store = await it.home.store();
    const dying: Store = { ...store, workSpend: { ...store.workSpend, settle: killed } };
    const lost = await it.another({ pid: 2, store: dying }, (turn) => spending(turn, 150));
    assert.equal((await lost.run({ line: 1, budget: { tokens: 500 } })).status, "done");
    const day = { key: "day", unit: "tokens", limit: 1000, since: 0 } as const;
    assert.partialDeepStrictEqual(await it.home.disk.workSpend.uses([day]), [{ used: 150 }]);
  });

  test("that nobody asks for any more is taken by a dispatcher, and is there for who asks next", async () => {
    await using it = await world((turn) => says("Done.", turn));
    const store = await it.home.store();
    const dying: Store = { ...store, workSpend: { ...store.workSpend, reserve: killed } };
    const lost = await it.another({ pid: 2, store: dying }, () => assert.fail());
    await assert.rejects(lost.ask({ line: 1 }), /killed/);
    const [row] = await it.home.disk.inbox.due(it.home.clock.now());
    assert.equal(row?.work?.origin, "batch");
    assert.equal(await it.lines.take(row), "done");
    assert.partialDeepStrictEqual(await it.run({ line: 1 }), { status: "done", attempts: 1 });
  });
});

const killed = (): Promise<never> => Promise.reject(new Error("killed"));
const isFolder = async (): Promise<boolean> => true;

async function* spending(turn: Turn, tokens: number): AsyncIterable<TurnEvent> {
  const context = { used: tokens };
  const usage = { input: tokens, cached: 0, output: 0, reasoning: 0, context };
  yield { type: "item", item: { id: asId<"itm">(`${turn.id}_0`), kind: "text", text: "Done." } };
  yield { ...done("Done."), usage };
}

const called = (turn: TurnId): TurnEvent => ({
  type: "item",
  item: {
    id: asId<"itm">(`${turn}_call`),
    kind: "call",
    callId: "call",
    tool: "write_file",
    args: {},
    output: "",
    ok: true,
  },
});

type Run = (line: Partial<BatchLine>) => Promise<BatchResult>;

type World = AsyncDisposable & {
  readonly home: TestHome;
  ask(line: Partial<BatchLine>): ReturnType<BatchLines["run"]>;
  readonly run: Run;
  /** As another process would. */
  another(also: Partial<AgentDeps> & { readonly pid: number }, script: Script): Promise<World>;
  readonly lines: BatchLines;
  /** The process is gone, as by a kill. */
  die(): void;
};

async function world(script: Script): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await testHome());
  const first = await processIn(home, { pid: 1 }, script);
  const kept = opened.move();
  return { ...first, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function processIn(
  home: TestHome,
  also: Partial<AgentDeps> & { readonly pid: number },
  script: Script,
): Promise<World> {
  const agent = await home.open(scriptedRuntime(script), { answering: () => "read", ...also });
  await agent.reconcile();
  const { clock } = home;
  const lines = batchLines({ store: agent.store, agent, settings, isFolder, clock, log: assert.fail });
  const dead = Promise.withResolvers<never>();
  dead.promise.catch(() => {});
  const ask: World["ask"] = (line) =>
    Promise.race([
      dead.promise,
      lines.run(
        { batch: "bat_1", line: 1, text: "Hello.", title: "t", cwd: "/", ...line },
        {
          by: localOwner("cli"),
          runtimes: ["scripted"],
          defaultRuntime: "scripted",
          closing: new AbortController().signal,
          ended: () => new Promise(() => {}),
        },
      ),
    ]);
  return {
    home,
    lines,
    ask,
    async run(line) {
      const result = await ask(line);
      assert.ok("status" in result, JSON.stringify(result));
      return result;
    },
    another: (other, play) => processIn(home, other, play),
    die: () => dead.reject(new Error("killed")),
    async [Symbol.asyncDispose]() {},
  };
}
