import type { Clock } from "../../src/lib/clock.ts";
import { closeOpenItems } from "../../src/runtimes/codex/items/close-items.ts";
import type { Connection } from "../../src/runtimes/codex/connection/connection.ts";
import {
  type NotificationFrame,
  type RequestFrame,
  isDelta,
} from "../../src/runtimes/codex/connection/frame.ts";
import { type RequestContext, answerRequest } from "../../src/runtimes/codex/asking/server-requests.ts";
import type { ThreadFeed } from "../../src/runtimes/codex/connection/thread-feed.ts";
import { beginTurn, endedEvent, observe } from "../../src/runtimes/codex/items/turn-machine.ts";
import type { Step } from "../../src/runtimes/codex/items/turn-state.ts";
import { project, startProjection } from "../../src/transcript/projector.ts";
import { turn } from "./corpus.ts";
import type { Random } from "../random.ts";
import type { SortedLine } from "./sorted-line.ts";

/** Takes the frames of one thread and does with them what a turn does. */
export type ThreadReader = Disposable & {
  /** A line was read that should come here, or not. */
  expect(line: SortedLine): void;
  /** While it is paused, frames wait. */
  pause(): void;
  resume(): void;
  /** What waited for the thread before it had a reader is read, and does not count. */
  startCounting(): void;
  /** Frames that should have come and did not, or the other way round. Only when everything is read. */
  missing(): number;
};

export type ReaderCounts = {
  frames: number;
  events: number;
  turns: number;
  /** Frames of another thread, and events made from another turn's frame. */
  foreign: number;
  /** What the turn machine or the projector threw, and events that cannot be written down. */
  readonly thrown: string[];
};

export type ReaderOptions = {
  readonly talk: Connection;
  readonly thread: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly counts: ReaderCounts;
};

/** A turn of the fuzzed kind need not end by itself. */
const framesPerTurn = 600;

export function threadReader({ talk, thread, clock, random, counts }: ReaderOptions): ThreadReader {
  const feed: ThreadFeed = talk.feed(thread);
  const over = new AbortController();
  const context = requestContext(random, over.signal);
  let expected = 0;
  let taken = 0;
  let gate: PromiseWithResolvers<void> | undefined;
  let machine = freshTurn(thread);

  function take(frame: NotificationFrame): void {
    try {
      const step = observe(machine.state, frame, clock.now());
      if (step[1].length > 0 && isForeign(frame.params, thread)) counts.foreign += 1;
      machine.frames += 1;
      follow(step);
      if (machine.state.outcome === undefined && machine.frames < framesPerTurn) return;
      follow(closeOpenItems(machine.state, "the turn ended first", clock.now()));
      JSON.stringify(endedEvent(machine.state, "done"));
    } catch (error) {
      counts.thrown.push(`${frame.method}: ${String(error)}`);
    }
    counts.turns += 1;
    machine = freshTurn(thread);
  }

  function follow([state, events]: Step): void {
    machine.state = state;
    for (const event of events) {
      counts.events += 1;
      JSON.stringify(event);
      const [projection, rows] = project(machine.projection, event);
      machine.projection = projection;
      JSON.stringify(rows);
    }
  }

  function answer(frame: RequestFrame): void {
    if (random.oneIn(10)) return; // whoever was to answer forgets it: closing the feed does
    void answerRequest(frame, context);
    if (random.oneIn(10)) frame.respond("twice");
  }

  async function read(): Promise<void> {
    for (;;) {
      await gate?.promise;
      const frame = await feed.next(over.signal);
      if (frame === undefined || frame.kind === "gone") return;
      counts.frames += 1;
      if (threadIn(frame.params) !== thread && threadIn(frame.params) !== undefined) counts.foreign += 1;
      if (frame.kind === "request" || !isDelta(frame)) taken += 1;
      if (frame.kind === "notification") take(frame);
      if (frame.kind === "request") answer(frame);
    }
  }

  void read();

  return {
    expect(line) {
      if (line.kind === "request" && line.thread === thread) expected += 1;
      if (line.kind !== "notification" || isDelta(line)) return;
      if (line.thread === thread || line.thread === undefined) expected += 1;
    },
    pause: () => void (gate ??= Promise.withResolvers()),
    resume() {
      gate?.resolve();
      gate = undefined;
    },
    startCounting: () => void (expected = taken = 0),
    missing: () => Math.abs(expected - taken),
    [Symbol.dispose]() {
      over.abort();
      gate?.resolve();
      feed[Symbol.dispose]();
    },
  };
}

const freshTurn = (threadId: string) => ({
  state: beginTurn({ threadId, turnId: turn, cwd: "/w" }),
  projection: startProjection(),
  frames: 0,
});

function threadIn(params: unknown): unknown {
  const threadId = (params as { threadId?: unknown } | null | undefined)?.threadId;
  return typeof threadId === "string" ? threadId : undefined;
}

function isForeign(params: unknown, thread: string): boolean {
  const { threadId, turnId } = (params ?? {}) as { threadId?: unknown; turnId?: unknown };
  return isOther(threadId, thread) || isOther(turnId, turn);
}

const isOther = (id: unknown, ours: string): boolean => typeof id === "string" && id !== "" && id !== ours;

/** People who answer this or that, and tools that work or not. */
function requestContext(random: Random, signal: AbortSignal): RequestContext {
  const choices = ["once", "session", "always", "deny"] as const;
  return {
    ports: {
      ask: async () => ({ choice: random.pick(choices), why: "person" }),
      inquire: async ({ fields }) =>
        random.oneIn(2) ? undefined : Object.fromEntries(fields.map(({ name }) => [name, "yes"])),
      tools: {
        specs: [],
        enabled: [],
        async call() {
          if (random.oneIn(3)) throw new Error("the tool broke");
          return { ok: true, output: "fine" };
        },
      },
    },
    cwd: "/w",
    thread: "T",
    epoch: "1.1",
    stop: signal,
    signal,
    offered: new Set(["echo", "memory"]),
    onProgress: () => {},
    headOf: () => undefined,
    changesOf: async () => (random.oneIn(2) ? undefined : []),
  };
}
