import assert from "node:assert/strict";
import { test } from "node:test";
import { FaultError } from "../../../core/faults.ts";
import { asId } from "../../../core/ids.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { Unasked } from "../../runtime.ts";
import { threadFeed } from "../connection/thread-feed.ts";
import type { AppServer } from "../process/app-server.ts";
import { type ThreadWatch, threadWatch } from "./thread-watch.ts";

const threadId = "T";

/** A thread on which codex begins turns of its own. */
function place(): {
  readonly watch: ThreadWatch;
  readonly works: readonly Unasked[];
  /** Methods of our requests. */
  readonly asked: readonly string[];
  begin(): void;
  /** A script of a turn that is over runs a command. */
  command(): void;
  /** Called once, when codex is asked how the thread is. */
  onRead: (() => void) | undefined;
} {
  const source = threadFeed({ clock: systemClock, onDispose: () => {} });
  const works: Unasked[] = [];
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
    async request(method: string, { turnId = "" }: { turnId?: string }) {
      asked.push(method);
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
    onWork: (work) => works.push(work),
    onGone() {},
    onUnloaded() {},
  });
  const it: ReturnType<typeof place> = {
    watch,
    works,
    asked,
    command() {
      const item = { type: "commandExecution", id: "c1", command: "date", status: "inProgress" };
      const params = { threadId, turnId: "earlier", item };
      source.push({ kind: "notification", method: "item/started", params }, 1, true);
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
  const { watch, works, begin } = place();
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
  const it = place();
  await it.watch.take(async () => {});
  it.watch.giveBack();
  let looks = 0;
  const { feed } = await it.watch.take(async () => {
    looks += 1;
    if (looks === 1) it.onRead = it.begin;
  });
  assert.deepEqual([looks, it.works.length, feed.poll()], [2, 1, undefined]);
});

test("a thread is not unloaded under a turn that is about to have it, but when it is given back", async () => {
  const { watch, asked, command } = place();
  await watch.take(async () => command());
  assert.ok(!asked.includes("thread/unsubscribe"));
  watch.giveBack();
  assert.ok(asked.includes("thread/unsubscribe"));
});

test("where codex begins turns all the time, the message is not sent into one of them", async () => {
  const { watch, begin } = place();
  await assert.rejects(
    watch.take(async () => begin()),
    (error) => error instanceof FaultError && /keeps starting turns of its own/.test(error.fault.message),
  );
});
