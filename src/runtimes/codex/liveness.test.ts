import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { pinnedCodex } from "../../../test/codex-schema/pinned-codex.ts";
import { codexHome } from "../../../test/fakes/real-codex-home.ts";
import { halt } from "../../../test/halt.ts";
import type { EndedEvent, TurnEvent } from "../../core/events.ts";
import { newId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { Message } from "../../core/messages.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { startTimeOf } from "../../lib/process/process-identity.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { type DemoModel, startDemoModel } from "../../../test/fakes/demo-model.ts";
import type { Ports } from "../runtime.ts";
import { startAppServer } from "./process/app-server.ts";
import { codexRuntime } from "./codex.ts";
import { launchOptions } from "./process/launch.ts";
import { unreadMethods } from "./process/opt-out.ts";
import { appServerPool } from "./process/pool.ts";
import { readSide } from "./thread/turn-side.ts";

const threadIn = ({ side }: EndedEvent): string | undefined => readSide(side)?.thread;
const says = (text: string): object => ({ reply: [{ text, chunks: 2 }] });
const patience = { timeout: 120_000 };

describe("a codex that says nothing", { concurrency: 2 }, () => {
  const command = { call: { tool: "exec_command", args: { cmd: "sleep 600", yield_time_ms: 20_000 } } };
  const silences = [
    { where: "before its answer", part: { hang: true }, last: "item/completed", quietMs: 30_000 },
    { where: "in a command", part: command, last: "item/started", quietMs: 60_000 },
  ];
  for (const { where, part, last, quietMs } of silences)
    test(
      `because it was stopped ${where} is given up, and another goes on with the thread`,
      patience,
      async () => {
        await using it = await stage([says("One."), { reply: [part] }, says("Three.")]);
        const one = await it.turn("first").ended;
        const two = it.turn("second");
        await it.model.waitForRequest(2);
        await it.frame("s>c", last, (params) => last === "item/completed" || params.includes("sleep 600"));
        const [stopped = 0] = it.pids;
        await halt(stopped);
        const asked = it.count("c>s", "thread/read");
        const since = it.clock.monotonic();
        await it.clock.passUntil(() => it.count("c>s", "thread/read") > asked);
        // What was on its way when it was stopped may still come, and this clock runs on while a machine is busy.
        assert.ok(it.clock.monotonic() - since <= 3 * quietMs);
        await it.clock.passUntil(() => two.events.at(-1)?.type === "ended");
        assert.ok(it.count("c>s", "thread/read") - asked <= 3, "it is not asked again and again");
        const lost = await two.ended;
        assert.deepEqual([lost.outcome, lost.fault?.code, threadIn(lost)], ["failed", "lost", threadIn(one)]);
        assert.match(lost.fault?.message ?? "", /stopped answering/);

        const three = await it.turn("third").ended;
        assert.deepEqual([three.outcome, three.text, threadIn(three)], ["done", "Three.", threadIn(one)]);
        assert.equal(it.pids.length, 2);
        assert.equal(startTimeOf(stopped), undefined, "the stopped one is gone");
        const told = JSON.stringify(it.model.requests[2]?.body);
        for (const words of ["first", "One.", "second", "third"]) assert.ok(told.includes(words), words);
      },
    );

  test(
    "for ten minutes, but answers when asked, is left alone until somebody stops it",
    patience,
    async () => {
      await using it = await stage([{ reply: [{ hang: true }] }, says("Two.")]);
      const stop = new AbortController();
      const one = it.turn("think", stop.signal);
      await it.model.waitForRequest(1);
      await it.frame("s>c", "item/completed"); // the last that it says: one that came late would end the silence
      const end = it.clock.monotonic() + 600_000;
      for (let asked = 0; it.clock.monotonic() < end;) {
        const count = (): number => it.count("c>s", "thread/read");
        await it.clock.passUntil(() => count() > asked || it.clock.monotonic() >= end);
        for (; asked < count(); asked += 1) await one.heard((event) => atWork(event));
      }
      assert.equal(it.count("c>s", "thread/read"), 5);
      stop.abort();
      assert.equal((await one.ended).outcome, "interrupted");
      assert.equal((await it.turn("again").ended).text, "Two.");
      assert.equal(it.pids.length, 1, "the same process all the time");
    },
  );

  test("about the end of its turn is asked, and the answer is taken from the thread", patience, async () => {
    const script = {
      turns: [{ emit: [{ agent: "Here it is." }] }],
      faults: [{ at: { event: "turn/completed" }, do: "noTurnCompleted" }],
    };
    await using it = await stage([], { fakeScript: script });
    const one = it.turn("go");
    await it.frame("s>c", "thread/status/changed", (params) => params.includes('"idle"'));
    await it.clock.passUntil(() => it.count("c>s", "thread/read") > 0);
    const ended = await one.ended;
    assert.deepEqual([ended.outcome, ended.text], ["done", "Here it is."]);
    assert.equal(one.events.filter(({ type }) => type === "item").length, 1);
  });
});

describe("a Stop that comes when codex has finished", { concurrency: 2 }, () => {
  for (const [method, words] of [
    ["thread/status/changed", '"idle"'],
    ["turn/completed", ""],
  ] as const)
    test(`and ${method} has just come changes nothing`, patience, async () => {
      await using it = await stage([says("One."), says("Two.")]);
      const stop = new AbortController();
      it.onFrame = (dir, frame) => {
        const isLast = dir === "s>c" && frame.method === method;
        if (isLast && JSON.stringify(frame.params).includes(words)) stop.abort();
      };
      const one = await it.turn("first", stop.signal).ended;
      assert.deepEqual([stop.signal.aborted, one.outcome, one.text], [true, "done", "One."]);
      const two = await it.turn("second").ended;
      assert.deepEqual([two.outcome, two.text, threadIn(two)], ["done", "Two.", threadIn(one)]);
      assert.equal(it.pids.length, 1);
    });
});

describe("a codex that is killed", { concurrency: 2 }, () => {
  const command = { call: { tool: "exec_command", args: { cmd: "echo $((6 * 7))" } } };

  test("before it has written down what was said: the next one is told, once", patience, async () => {
    await using it = await stage([says("One."), says("Two."), says("Three.")]);
    const one = await it.turn("first").ended;
    it.onFrame = killAt(it, "turn/started");
    assert.equal((await it.turn("second").ended).fault?.code, "lost");
    const three = await it.turn("third").ended;
    assert.deepEqual([three.outcome, threadIn(three)], ["done", threadIn(one)]);
    const told = JSON.stringify(it.model.requests.at(-1)?.body);
    for (const words of ["first", "One.", "second", "third"])
      assert.equal(told.split(`"${words}"`).length, 2, words);
  });

  test("when a command has just come back: the next one knows its result", patience, async () => {
    await using it = await stage([says("One."), { reply: [command] }, says("Three."), says("Three.")]);
    const one = await it.turn("first").ended;
    it.onFrame = killAt(it, "item/completed", "commandExecution");
    assert.equal((await it.turn("second").ended).fault?.code, "lost");
    const three = await it.turn("third").ended;
    assert.deepEqual([three.outcome, threadIn(three)], ["done", threadIn(one)]);
    const told = JSON.stringify(it.model.requests.at(-1)?.body);
    assert.match(told, /Codex ended in the middle of the last turn\..*echo \$\(\(6 \* 7\)\).*\\n42/);
  });

  for (const model of ["gpt-5.5", "gpt-6.1-sol"])
    test(
      `while the next turn is being made ready: that one is lost, and another goes on (${model})`,
      patience,
      async () => {
        await using it = await stage([says("One."), says("Three.")], { model });
        const one = await it.turn("first").ended;
        const gone = Promise.withResolvers<void>();
        it.onFrame = (dir) => void (dir === "exit" && setImmediate(gone.resolve)); // whoever reads the thread has heard of it
        it.onLoad = async () => {
          process.kill(it.pids[0] ?? 0, "SIGKILL");
          await gone.promise;
        };
        const two = await it.turn("second").ended;
        assert.deepEqual([two.outcome, two.fault?.code], ["failed", "lost"]);
        assert.match(
          `${two.fault?.message} ${two.fault?.next}`,
          /was ended by SIGKILL.* a new codex goes on/s,
        );
        it.onLoad = async () => {};
        const three = await it.turn("third").ended;
        assert.deepEqual([three.outcome, three.text, threadIn(three)], ["done", "Three.", threadIn(one)]);
        const told = JSON.stringify(it.model.requests.at(-1)?.body);
        for (const words of ["first", "One.", "second", "third"])
          assert.equal(told.split(`"${words}"`).length, 2, words);
      },
    );
});

/** Kills the first process as soon as such a frame has come. */
const killAt =
  (it: Stage, method: string, words = ""): OnFrame =>
  (dir, frame) => {
    const isIt = dir === "s>c" && frame.method === method && JSON.stringify(frame.params).includes(words);
    if (isIt && it.pids.length === 1) process.kill(it.pids[0] ?? 0, "SIGKILL");
  };

const atWork = (event: TurnEvent): boolean =>
  event.type === "status" && /says that it is at work/.test(event.text ?? "");

type Frame = { readonly method?: string; readonly params?: unknown };
type OnFrame = (dir: string, frame: Frame) => void;

type Stage = AsyncDisposable & {
  readonly clock: LeapingClock;
  readonly model: DemoModel;
  /** Processes of codex, in the order of their starts. */
  readonly pids: readonly number[];
  /** Sees each frame before anybody else. */
  onFrame: OnFrame;
  /** Called when a turn looks up which thread it is to go on with: it has its process by then. */
  onLoad: () => Promise<void>;
  /** The next input of the one session. */
  turn(text: string, stop?: AbortSignal): RunningTurn;
  /** Resolves when such a frame has come since the turn began. */
  frame(dir: string, method: string, fits?: (params: string) => boolean): Promise<void>;
  count(dir: string, method: string): number;
};

type RunningTurn = {
  readonly events: readonly TurnEvent[];
  readonly ended: Promise<EndedEvent>;
  /** Resolves at the next event that fits. */
  heard(fits: (event: TurnEvent) => boolean): Promise<void>;
};

/** The real codex on a scripted model, or the fake one with its own script, in a time that can leap. */
async function stage(
  steps: readonly object[],
  { fakeScript, model: name = "gpt-5.5" }: { readonly fakeScript?: object; readonly model?: string } = {},
): Promise<Stage> {
  await using opened = new AsyncDisposableStack();
  const clock = leapingClock();
  const home = opened.use(await codexHome());
  const model = opened.use(await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) }));
  if (fakeScript !== undefined)
    await writeFile(join(home.path, "fake-codex.json"), JSON.stringify(fakeScript));
  const launch = launchOptions({
    binary: fakeScript === undefined ? pinnedCodex() : resolve("test/fakes/fake-codex/fake-codex"),
    env: { PATH: process.env["PATH"], HOME: home.path },
    route: { name: "scripted", url: model.url, headers: {} },
    retries: { request: 0, stream: 0 },
    isolated: { codexHome: home.path },
  });
  const pids: number[] = [];
  const processes = { add: async ({ pid }: { pid: number }) => void pids.push(pid), remove: async () => {} };
  let frames: { readonly dir: string; readonly frame: Frame }[] = [];
  const arrivals = bell();
  const record = (dir: string, msg: Json): void => {
    it.onFrame(dir, msg as Frame);
    frames.push({ dir, frame: msg as Frame });
    arrivals.ring();
  };
  const options = { clock, processes, record, optOut: unreadMethods, clientVersion: "test" };
  const pool = appServerPool({
    clock,
    start: (each, signal) => startAppServer(each, { ...options, signal }),
  });
  const plan = { launch, provider: "scripted", loopRouteExists: false, network: false, mcpServers: {} };
  const runtime = opened.use(
    codexRuntime({
      pool,
      plan: async () => ({ ...plan, model: name, sandbox: "workspace-write", warnings: [] }),
      offer: new Map(),
      frames: { listen: () => () => {} },
    }),
  );
  const kept = opened.move();
  const history: Message[] = [];
  const ports = portsWith(clock, processes, () => it.onLoad());
  const it: Stage = {
    clock,
    model,
    pids,
    onFrame: () => {},
    onLoad: async () => {},
    turn(text, stop = new AbortController().signal) {
      frames = [];
      const input = [{ type: "text", text }] as const;
      const texts = { instructions: "", project: "", context: [] };
      const ids = { id: newId("trn", clock.now()), session: newId("ses", 0) };
      const turn = { ...ids, cwd: home.path, past: pastOf([...history]), input, ...texts };
      const running = follow(runtime.run(turn, { ...ports, signal: stop }));
      const ended = running.ended.then((end) => {
        history.push({ role: "user", content: text }, ...running.events.flatMap(messages));
        if (history.at(-1)?.role !== "assistant") history.push({ role: "assistant", content: "[no answer]" });
        return end;
      });
      return { ...running, ended };
    },
    async frame(dir, method, fits = () => true) {
      const come = (): boolean =>
        frames.some(
          ({ dir: at, frame }) =>
            at === dir && frame.method === method && fits(JSON.stringify(frame.params ?? null)),
        );
      while (!come()) await arrivals.rung();
    },
    count: (dir, method) =>
      frames.filter(({ dir: at, frame }) => at === dir && frame.method === method).length,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  return it;
}

const pastOf = (history: readonly Message[]) => async () => ({ history });

/** A turn's events as the history of the next one. */
function messages(event: TurnEvent): readonly Message[] {
  if (event.type !== "item") return [];
  const { item } = event;
  if (item.kind === "text") return [{ role: "assistant", content: item.text }];
  if (item.kind !== "call") return [];
  const call = { id: item.callId, name: item.tool, arguments: JSON.stringify(item.args) };
  return [
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", toolCallId: call.id, content: item.output },
  ];
}

function portsWith(
  clock: Clock,
  processes: Ports["processes"],
  onLoad: () => Promise<void>,
): Omit<Ports, "signal"> {
  let bound: Json | undefined;
  return {
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
    tools: { specs: [], enabled: [], call: async () => ({ ok: false, output: "no tools" }) },
    binding: {
      load: () => onLoad().then(() => bound),
      save: async (value) => void (bound = value),
    },
    processes,
    clock,
  };
}

function follow(said: AsyncIterable<TurnEvent>): RunningTurn {
  const events: TurnEvent[] = [];
  const arrivals = bell();
  const ended = (async () => {
    for await (const event of said) {
      events.push(event);
      arrivals.ring();
    }
    const last = events.at(-1);
    assert.ok(last?.type === "ended");
    return last;
  })();
  let looked = 0;
  return {
    events,
    ended,
    async heard(fits) {
      for (;;) {
        const at = events.findIndex((event, index) => index >= looked && fits(event));
        if (at >= 0) return void (looked = at + 1);
        await arrivals.rung();
      }
    },
  };
}

function bell(): { ring(): void; rung(): Promise<void> } {
  let next = Promise.withResolvers<void>();
  return {
    ring() {
      next.resolve();
      next = Promise.withResolvers();
    },
    rung: () => next.promise,
  };
}

type LeapingClock = Clock & {
  /** Lets time pass, second by second, until it is so. */
  passUntil(isSo: () => boolean): Promise<void>;
};

/** Time as it is, except that a test can make it leap: a real process needs its milliseconds, silence takes minutes. */
function leapingClock(): LeapingClock {
  let ahead = 0;
  let leapt = new AbortController();
  const monotonic = (): number => systemClock.monotonic() + ahead;
  return {
    now: () => systemClock.now() + ahead,
    monotonic,
    async sleep(ms, signal, options) {
      const due = monotonic() + ms;
      for (let left = ms; left > 0; left = due - monotonic()) {
        const wake = AbortSignal.any(signal === undefined ? [leapt.signal] : [leapt.signal, signal]);
        await systemClock.sleep(left, wake, options).catch(() => signal?.throwIfAborted());
      }
      signal?.throwIfAborted();
    },
    async passUntil(isSo) {
      while (!isSo()) {
        ahead += 1_000;
        leapt.abort();
        leapt = new AbortController();
        await new Promise((done) => setImmediate(done));
      }
    },
  };
}
