import type { Question } from "../../../core/asking.ts";
import type { EndedEvent } from "../../../core/events.ts";
import type { SessionId } from "../../../core/ids.ts";
import type { Item } from "../../../core/items.ts";
import type { Clock } from "../../../lib/clock.ts";
import { nobodyWaits } from "../../../lib/nobody-waits.ts";
import type { Unasked } from "../../runtime.ts";
import { refuseRequest } from "../asking/refusing.ts";
import type { Frame } from "../connection/frame.ts";
import type { ThreadFeed } from "../connection/thread-feed.ts";
import { noStrays, observeStray } from "../items/strays.ts";
import type { AppServer } from "../process/app-server.ts";
import type { LeasedServer } from "../process/pool.ts";
import { hostNamespace } from "../thread/offered-tools.ts";
import { fieldsOf } from "../wire/fields.ts";
import { readTurn } from "../wire/turn.ts";
import { type Leftovers, leftovers } from "./leftovers.ts";
import { stopStrayTurn } from "./stray-turn.ts";
import { type WorkKind, goneNote, workText } from "./work-text.ts";

export type WatchedThread = {
  readonly server: AppServer;
  readonly threadId: string;
  readonly session: SessionId;
  readonly cwd: string;
  readonly model: string;
  /** own: turns of ours run on it · helper: codex has started it by itself */
  readonly kind: "own" | "helper";
  readonly clock: Clock;
  /** Keeps codex from being ended while something runs. */
  readonly hold: () => LeasedServer | undefined;
  readonly onWork: (work: Unasked) => void;
  /** Codex is gone, and the watch with it. */
  readonly onGone: () => void;
  /** The thread is not in codex's memory any more. `stuck`: codex does not let go of it. */
  readonly onUnloaded: (stuck: boolean) => void;
};

/** Reads what codex says of a thread while no turn of ours does. */
export type ThreadWatch = Pick<
  WatchedThread,
  "server" | "session" | "threadId" | "cwd" | "model" | "clock"
> & {
  /** What runs on. Also while the frames are somebody else's. */
  readonly left: Leftovers;
  /** The thread is idle, and its frames are the caller's until they are given back. */
  take(): Promise<ThreadFeed>;
  giveBack(): void;
  /** Resolves when it is not being unloaded. */
  ready(): Promise<void>;
  /** Ends all that the thread has in hand, by taking it out of codex's memory. Whoever takes it waits for that. */
  unload(): void;
};

const unloadMs = 5_000;

export function threadWatch(thread: WatchedThread): ThreadWatch {
  const { server, threadId, session, cwd, model, clock } = thread;
  const feed = server.feed(threadId);
  const left = leftovers();
  let lease: LeasedServer | undefined;
  let pause = new AbortController();
  let unloading: Promise<void> | undefined;
  const closed = { resolve: (): void => {} };
  let reading = read(pause.signal);

  async function read(paused: AbortSignal): Promise<void> {
    for (;;) {
      // What has come already is read before the feed is handed on.
      const frame = feed.poll() ?? (await feed.next(paused));
      if (frame === undefined) return;
      if (frame.kind === "gone") return gone();
      await take(frame);
      left.heard();
      if (left.running().length === 0) release();
    }
  }

  async function take(frame: Exclude<Frame, { kind: "gone" }>): Promise<void> {
    if (frame.kind === "request") {
      const asker = { cwd, thread: threadId, epoch: `${server.pid}.${server.epoch}` };
      return refuseRequest(frame, asker, (question) => tell("asked", { refused: [question] }));
    }
    if (frame.method === "thread/closed") return lost();
    if (frame.method === "turn/started") return stop(readTurn(fieldsOf(frame.params)["turn"]).id ?? "");
    const step = observeStray(left.strays, { threadId, cwd, hostNamespace }, frame, clock.now());
    left.strays = step.strays;
    if (step.items.length > 0) tell("late", { items: step.items.map(({ item }) => item) });
    if (step.began) unload();
  }

  async function stop(turnId: string): Promise<void> {
    const stray = await stopStrayTurn({ server, feed, threadId, turnId, cwd, clock });
    tell(thread.kind === "own" ? "turn" : "helper", stray);
  }

  function tell(
    kind: WorkKind,
    parts: { items?: readonly Item[]; refused?: readonly Question[]; ended?: EndedEvent },
  ): void {
    const { items = [], refused = [] } = parts;
    const calls = items.filter((item) => item.kind === "call").length;
    const ended: EndedEvent = parts.ended ?? { type: "ended", outcome: "done", text: "", calls };
    thread.onWork({ session, cwd, model, text: workText(kind, ended.outcome), items, refused, ended });
  }

  function gone(): void {
    thread.onGone();
    lost();
  }

  /** Whatever ran on the thread has ended. What we ended ourselves was said then. */
  function lost(): void {
    const ended = unloading === undefined ? left.running().map(({ command }) => command) : [];
    left.strays = noStrays;
    closed.resolve();
    release();
    if (ended.length > 0) tell("gone", { items: [goneNote(ended)] });
  }

  function release(): void {
    lease?.[Symbol.dispose]();
    lease = undefined;
  }

  function unload(): void {
    unloading ??= unloadNow().finally(() => {
      unloading = undefined;
    });
  }

  async function unloadNow(): Promise<void> {
    const over = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    closed.resolve = resolve;
    const options = { signal: over.signal, timeoutMs: unloadMs };
    server.request("thread/unsubscribe", { threadId }, options).catch(() => {}); // then it does not close either
    const stuck = await Promise.race([
      promise.then(() => false),
      clock.sleep(unloadMs, over.signal).then(() => true),
    ]);
    over.abort(nobodyWaits);
    left.strays = noStrays;
    release();
    thread.onUnloaded(stuck);
  }

  return {
    server,
    session,
    threadId,
    cwd,
    model,
    clock,
    left,
    async take() {
      await unloading;
      pause.abort();
      await reading;
      return feed;
    },
    giveBack() {
      feed.refuseOpen();
      if (left.running().length > 0) lease ??= thread.hold();
      pause = new AbortController();
      reading = read(pause.signal);
    },
    async ready() {
      await unloading;
    },
    unload,
  };
}
