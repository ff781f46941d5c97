import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FaultError } from "../../../core/faults.ts";
import { asId } from "../../../core/ids.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { UnaskedWork } from "../../runtime.ts";
import { threadFeed } from "../connection/thread-feed.ts";
import { noStrays, observeStray, withEnded } from "../items/strays.ts";
import { beginTurn } from "../items/turn-machine.ts";
import type { AppServer } from "../process/app-server.ts";
import { type ThreadWatch, threadWatch } from "./thread-watch.ts";

const threadId = "T";

const date = { type: "commandExecution", id: "c1", command: "date", processId: "7" };

/** A thread on which codex begins turns of its own. */
function fixture(): {
  readonly watch: ThreadWatch;
  readonly works: readonly UnaskedWork[];
  /** Methods of our requests. */
  readonly asked: readonly string[];
  begin(): void;
  /** A script of a turn that is over runs a command, or one of another turn has ended. */
  command(turnId?: string, status?: "inProgress" | "completed"): void;
  /** What codex has written down of that turn. `undefined`: it cannot say. */
  journal: readonly object[] | undefined;
  /** Codex dies. */
  die(): void;
  /** Resolves when work that nobody asked for is told. */
  next(): Promise<UnaskedWork>;
  /** Called once, when codex is asked how the thread is. */
  onRead: (() => void) | undefined;
} {
  const source = threadFeed({ clock: systemClock, onDispose: () => {} });
  const works: UnaskedWork[] = [];
  let news = Promise.withResolvers<UnaskedWork>();
  const asked: string[] = [];
  let turns = 0;
  const push = (method: string, turnId: string, status: string): void =>
    source.push(
      { kind: "notification", method, params: { threadId, turnId, turn: { id: turnId, status, items: [] } } },
      1,
      true,
    );
  const server = {
    pid: 1,
    epoch: 1,
    feed: () => source.feed,
    async request(method: string, { turnId = "", includeTurns = false }) {
      asked.push(method);
      if (method === "thread/unsubscribe") push("thread/closed", "", "");
      if (includeTurns && it.journal === undefined) throw new Error("no answer");
      if (includeTurns) return { thread: { turns: [{ id: "earlier", items: it.journal }] } };
      if (method === "turn/interrupt") push("turn/completed", turnId, "interrupted");
      const { onRead } = it;
      if (method === "thread/read") it.onRead = undefined;
      if (method === "thread/read") onRead?.();
      return { thread: { status: { type: "idle" } } };
    },
  } as unknown as AppServer;
  const watch = threadWatch({
    server,
    threadId,
    session: asId<"ses">("ses_1"),
    cwd: "/w",
    model: "m",
    kind: "own",
    clock: systemClock,
    redact: String,
    hold: () => undefined,
    onWork(work) {
      works.push(work);
      news.resolve(work);
      news = Promise.withResolvers();
    },
    onGone() {},
    onUnloaded() {},
  });
  const it: ReturnType<typeof fixture> = {
    watch,
    works,
    asked,
    journal: [],
    die: () => source.end({ code: 1, signal: null, stderrTail: "", reason: "exit" }),
    next: () => news.promise,
    command(turnId = "earlier", status = "inProgress") {
      const method = status === "completed" ? "item/completed" : "item/started";
      const params = { threadId, turnId, item: { ...date, status } };
      source.push({ kind: "notification", method, params }, 1, true);
    },
    begin() {
      turns += 1;
      push("turn/started", `U${turns}`, "inProgress");
    },
    onRead: undefined,
  };
  return it;
}

test("a turn that codex begins while ours is prepared is over before ours has the thread", async () => {
  const { watch, works, begin } = fixture();
  let looks = 0;
  const { feed, prepared } = await watch.take(async () => {
    looks += 1;
    if (looks === 1) begin();
    return looks;
  });
  assert.equal(prepared, 2, "it was looked at again");
  assert.deepEqual(
    works.map(({ ended }) => ended.outcome),
    ["interrupted"],
  );
  assert.equal(feed.poll(), undefined, "nothing of it is left for our turn");
});

test("so is one that codex begins right before it is asked whether it is idle", async () => {
  const it = fixture();
  await it.watch.take(async () => {});
  it.watch.giveBack();
  let looks = 0;
  const { feed } = await it.watch.take(async () => {
    looks += 1;
    if (looks === 1) it.onRead = it.begin;
  });
  assert.deepEqual([looks, it.works.length, feed.poll()], [2, 1, undefined]);
});

test("codex that was asked ahead is not asked again, and a turn that it begins after its answer is not joined", async () => {
  const it = fixture();
  await it.watch.take(async () => {});
  it.watch.giveBack();
  it.watch.askAhead();
  assert.deepEqual(it.asked, ["thread/read"]);
  await it.watch.take(async () => {});
  assert.deepEqual(it.asked, ["thread/read"]);
  it.watch.giveBack();
  it.watch.askAhead();
  it.begin();
  let looks = 0;
  const { feed } = await it.watch.take(async () => (looks += 1));
  assert.deepEqual([looks, it.works.length, feed.poll()], [2, 1, undefined]);
});

test("what a turn of codex's own had in hand is told with it, and its end is no news", async () => {
  const it = fixture();
  const next = it.next();
  it.begin();
  it.command("U1");
  assert.partialDeepStrictEqual((await next).items, [{ id: "c1", ok: false }]);
  it.command("U1", "completed");
  await it.watch.take(async () => {});
  assert.equal(it.works.length, 1);
});

test("a thread is not unloaded under a turn that is about to have it, but when it is given back", async () => {
  const { watch, asked, command } = fixture();
  await watch.take(async () => command());
  assert.ok(!asked.includes("thread/unsubscribe"));
  watch.giveBack();
  assert.ok(asked.includes("thread/unsubscribe"));
});

const told = ({ items }: UnaskedWork): readonly unknown[] =>
  items.map((item) => (item.kind === "call" ? [item.id, item.output] : "text" in item && item.text));

describe("what a turn that is over begins", { timeout: 20_000 }, () => {
  test("is told with its end, which codex only writes down while it unloads the thread", async () => {
    const it = fixture();
    it.journal = [
      { ...date, status: "completed", aggregatedOutput: "today" },
      { ...date, id: "c2", status: "completed", aggregatedOutput: "unheard" },
      { type: "agentMessage", id: "m1", text: "told long ago" },
    ];
    const next = it.next();
    it.command();
    assert.deepEqual(told(await next), [
      ["c1", "[begun after the end of its turn]\ntoday"],
      ["c2", "[begun after the end of its turn]\nunheard"],
    ]);
    await it.watch.ready();
    assert.equal(it.works.length, 1);
  });

  test("is told with an unknown outcome where the journal does not have it", async () => {
    const it = fixture();
    const next = it.next();
    it.command();
    assert.match(JSON.stringify(told(await next)), /^\[\["c1",".*interrupted, outcome unknown/);
  });

  test("is told, with what is not known, where codex does not say what is in its journal", async () => {
    const it = fixture();
    it.journal = undefined;
    const next = it.next();
    it.command();
    const [unread, begun] = told(await next);
    assert.match(String(unread), /did not say whether anything else was done/);
    assert.match(String(begun), /^c1,.*\n.*outcome unknown/);
  });

  test("is told, too, when codex dies in the turn in which it began", async () => {
    const it = fixture();
    await it.watch.take(async () => {});
    const params = { threadId, turnId: "earlier", item: { ...date, status: "inProgress" } };
    const begun = observeStray(noStrays, { threadId, cwd: "/w" }, { method: "item/started", params }, 1);
    it.watch.left.strays = begun.strays;
    const next = it.next();
    it.die();
    it.watch.giveBack();
    assert.match(JSON.stringify(told(await next)), /^\[\["c1",".*outcome unknown/);
    assert.ok(!it.asked.includes("thread/unsubscribe"));
  });

  test("is told to whoever unloads the thread", async () => {
    const it = fixture();
    it.journal = [{ ...date, status: "completed", aggregatedOutput: "today" }];
    await it.watch.take(async () => {});
    it.watch.left.strays = withEnded(
      noStrays,
      beginTurn({ threadId, turnId: "earlier", cwd: "/w", redact: String }),
    );
    const items: unknown[] = [];
    const unloaded = it.watch.unload((some) => items.push(...some.map(({ id }) => id)));
    it.command();
    it.watch.giveBack();
    await unloaded;
    assert.deepEqual([items, it.works, it.watch.left.strays.size], [["c1"], [], 0]);
  });
});

test("where codex begins turns all the time, the message is not sent into one of them", async () => {
  const { watch, begin } = fixture();
  await assert.rejects(
    watch.take(async () => begin()),
    (error) => error instanceof FaultError && /keeps starting turns of its own/.test(error.fault.message),
  );
});

test("right after a turn codex is asked how the thread is, once; else not at all", async () => {
  const { watch, asked } = fixture();
  const reads = (): number => asked.filter((method) => method === "thread/read").length;
  await watch.take(async () => {});
  assert.equal(reads(), 0);
  watch.giveBack();
  await watch.take(async () => {});
  assert.equal(reads(), 1);
});
