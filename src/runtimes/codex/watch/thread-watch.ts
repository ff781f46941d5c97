import type { Question } from "../../../core/asking.ts";
import type { EndedEvent } from "../../../core/events.ts";
import type { SessionId } from "../../../core/ids.ts";
import type { Item } from "../../../core/items.ts";
import type { Clock } from "../../../lib/clock.ts";
import { type Fault, FaultError } from "../../../core/faults.ts";
import { noLongerNeeded } from "../../../lib/no-longer-needed.ts";
import type { UnaskedWork } from "../../runtime.ts";
import { refuseRequest } from "../asking/refusing.ts";
import type { Frame, NotificationFrame } from "../connection/frame.ts";
import type { ThreadFeed } from "../connection/thread-feed.ts";
import { noStrays, observeStray, withEnded } from "../items/strays.ts";
import type { TurnOptions } from "../items/turn-machine.ts";
import type { AppServer } from "../process/app-server.ts";
import type { LeasedServer } from "../process/pool.ts";
import { hostNamespace } from "../thread-settings/offered-tools.ts";
import { readThread } from "../thread/thread-turns.ts";
import { fieldsOf } from "../wire/fields.ts";
import { readTurn } from "../wire/turn.ts";
import { type Leftovers, leftovers } from "./leftovers.ts";
import { closingItems, unloadedItems } from "./unloaded-items.ts";
import { stopStrayTurn } from "./stray-turn.ts";
import { type WorkKind, workText } from "./work-text.ts";

export type WatchedThread = {
  readonly server: AppServer;
  readonly threadId: string;
  readonly session: SessionId;
  readonly cwd: string;
  readonly model: string;
  /** own: turns of ours run on it · helper: codex has started it by itself */
  readonly kind: "own" | "helper";
  readonly clock: Clock;
  /** Masks secrets. */
  readonly redact: (text: string) => string;
  /** Keeps codex from being ended while something runs. */
  readonly hold: () => LeasedServer | undefined;
  readonly onWork: (work: UnaskedWork) => void;
  /** Codex is gone or has let go of the thread, and the watch with it. */
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
  /**
   * The thread is idle, and its frames are the caller's until they are given back. `prepare` looks at the thread as it is
   * then, and again when codex has begun a turn of its own meanwhile. Rejects with a fault when it does so all the time.
   */
  take<T>(prepare: () => Promise<T>): Promise<{ readonly feed: ThreadFeed; readonly prepared: T }>;
  giveBack(): void;
  /** Somebody will take it soon: what codex has to be asked for that is asked now. */
  askAhead(): void;
  /** Resolves when it is not being unloaded. */
  ready(): Promise<void>;
  /**
   * Ends all that the thread has in hand, by taking it out of codex's memory. Whoever takes it waits for that. `tell` is
   * given what came of it; without it, that is work that nobody asked for.
   */
  unload(tell?: (items: readonly Item[]) => void): Promise<void>;
  /** When somebody last wanted it, in the time of `clock.monotonic`. Undefined: somebody has it, or something runs on it. */
  readonly restingSince: number | undefined;
  /** Takes a resting thread out of codex's memory, and ends the watch. */
  close(): Promise<void>;
};

const unloadMs = 5_000;
/** A turn of its own follows ours within milliseconds. */
const followsMs = 2_000;
const idleMs = 10_000;
const lookMs = 200;
const mostTries = 20;

export const threadWatch = (thread: WatchedThread): ThreadWatch => new Watch(thread);

class Watch implements ThreadWatch {
  readonly server: AppServer;
  readonly session: SessionId;
  readonly threadId: string;
  readonly cwd: string;
  readonly model: string;
  readonly clock: Clock;
  readonly left = leftovers();
  readonly #thread: WatchedThread;
  readonly #feed: ThreadFeed;
  #lease: LeasedServer | undefined;
  #pause = new AbortController();
  #reading: Promise<void>;
  #unloading: Promise<void> | undefined;
  #onClosed: (() => void) | undefined;
  #endedMs = -Infinity;
  /** Was asked ahead, after the last turn that had the thread. */
  #asked: Promise<void> | undefined;
  /** How many turns codex has begun by itself, and how many of them are over. */
  #begun = 0;
  #over = 0;
  /** Somebody is about to have the thread: it is not unloaded before they have given it back. */
  #wanted = false;
  #taken = false;
  #usedMs: number;
  #closing = false;
  #unloadLater = false;
  readonly #asWork = (items: readonly Item[]): void => this.#tell("late", { items });
  /** Hears of what comes of an earlier turn. */
  #tellLate = this.#asWork;

  constructor(thread: WatchedThread) {
    const { server, session, threadId, cwd, model, clock } = thread;
    this.server = server;
    this.session = session;
    this.threadId = threadId;
    this.cwd = cwd;
    this.model = model;
    this.clock = clock;
    this.#thread = thread;
    this.#usedMs = clock.monotonic();
    this.#feed = server.feed(threadId);
    this.#reading = this.#read(this.#pause.signal);
  }

  async take<T>(prepare: () => Promise<T>): Promise<{ readonly feed: ThreadFeed; readonly prepared: T }> {
    this.#wanted = true;
    try {
      const prepared = await this.#prepared(prepare);
      this.#taken = true;
      return { feed: this.#feed, prepared };
    } catch (error) {
      if (this.#unloadLater) void this.unload();
      throw error;
    } finally {
      this.#wanted = false;
    }
  }

  /** A message that is sent while a turn of codex's own runs would join it. */
  async #prepared<T>(prepare: () => Promise<T>): Promise<T> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      await this.#unloading;
      const before = this.#over;
      // What codex answers comes after all that it has said until then: a turn of its own would have been heard of.
      const ahead = this.#asked;
      this.#asked = undefined;
      const [prepared] = await Promise.all([prepare(), ahead ?? this.#idle()]);
      this.#pause.abort(noLongerNeeded);
      await this.#reading;
      if (this.#begun === before) return prepared;
      this.#readOn();
    }
    throw new FaultError(neverIdle);
  }

  askAhead(): void {
    if (!this.#taken && !this.#wanted) this.#asked ??= this.#idle();
  }

  giveBack(): void {
    this.#taken = false;
    this.#asked = undefined;
    this.#usedMs = this.clock.monotonic();
    this.#feed.refuseOpen();
    if (this.left.running().length > 0) this.#lease ??= this.#thread.hold();
    this.#endedMs = this.clock.monotonic();
    this.#readOn();
    if (this.#unloadLater) void this.unload();
  }

  async ready(): Promise<void> {
    this.#usedMs = this.clock.monotonic();
    await this.#unloading;
  }

  get restingSince(): number | undefined {
    const isOwned = this.#wanted || this.#taken || this.#unloading !== undefined;
    const isBusy = isOwned || this.#begun > this.#over || this.left.running().length > 0;
    return isBusy ? undefined : this.#usedMs;
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.unload();
  }

  async unload(tell = this.#asWork): Promise<void> {
    this.#unloadLater = false;
    if (this.#unloading === undefined) this.#tellLate = tell;
    this.#unloading ??= this.#unloadNow().finally(() => {
      this.#unloading = undefined;
      this.#tellLate = this.#asWork;
    });
    await this.#unloading;
  }

  #readOn(): void {
    this.#pause = new AbortController();
    this.#reading = this.#read(this.#pause.signal);
  }

  /** Right after a turn codex may be about to begin one of its own. A turn that is started into that one would join it. */
  async #idle(): Promise<void> {
    const { server, threadId, clock } = this;
    const since = clock.monotonic();
    if (since - this.#endedMs > followsMs) return;
    const over = new AbortController();
    while (clock.monotonic() - since < idleMs) {
      const status = await readThread(server, threadId).catch(() => undefined);
      if (status?.type !== "active") break;
      // It is being stopped; whatever is heard of that ends the wait.
      await Promise.race([this.left.nextChange(), clock.sleep(lookMs, over.signal).catch(() => {})]);
    }
    over.abort(noLongerNeeded);
  }

  async #read(paused: AbortSignal): Promise<void> {
    for (;;) {
      // What has come already is read before the feed is handed on.
      const frame = this.#feed.poll() ?? (await this.#feed.next(paused));
      if (frame === undefined) return;
      if (frame.kind === "gone") {
        // A turn that is being made ready may still come to this process, and opens its thread anew to hear that it is gone.
        this.#end();
        return this.#lost();
      }
      await this.#hear(frame);
      this.left.changed();
      if (this.left.running().length === 0) this.#release();
    }
  }

  async #hear(frame: Exclude<Frame, { kind: "gone" }>): Promise<void> {
    const { server, threadId, cwd, clock, left } = this;
    if (frame.kind === "request") {
      const asker = { cwd, thread: threadId, epoch: `${server.pid}.${server.epoch}` };
      return refuseRequest(frame, asker, (question) => this.#tell("asked", { refused: [question] }));
    }
    if (frame.method === "thread/closed") return this.#lost();
    if (frame.method === "turn/started") {
      return this.#stop(readTurn(fieldsOf(frame.params)["turn"]).id ?? "");
    }
    const step = observeStray(left.strays, this.#place(), frame, clock.now());
    left.strays = step.strays;
    if (step.items.length > 0) this.#tellLate(step.items.map(({ item }) => item));
    if (step.began && this.#wanted) this.#unloadLater = true;
    if (step.began && !this.#wanted) void this.unload();
  }

  async #stop(turnId: string): Promise<void> {
    const { server, clock, left } = this;
    this.#begun += 1;
    const onOther = (frame: NotificationFrame): Promise<void> => this.#hear(frame);
    const turn = { server, feed: this.#feed, turnId, clock, ...this.#place(), onOther };
    const { state, ...stray } = await stopStrayTurn(turn);
    this.#over += 1;
    left.strays = withEnded(left.strays, state);
    this.#tell(this.#thread.kind === "own" ? "turn" : "helper", stray);
  }

  #place(): Omit<TurnOptions, "turnId"> & { readonly redact: (text: string) => string } {
    const { threadId, cwd } = this;
    return { threadId, cwd, hostNamespace, redact: this.#thread.redact };
  }

  #tell(
    kind: WorkKind,
    parts: { items?: readonly Item[]; refused?: readonly Question[]; ended?: EndedEvent },
  ): void {
    const { session, cwd, model } = this;
    const { items = [], refused = [] } = parts;
    const calls = items.filter((item) => item.kind === "call").length;
    const ended: EndedEvent = parts.ended ?? { type: "ended", outcome: "done", text: "", calls };
    const text = workText(kind, ended.outcome);
    this.#thread.onWork({ session, cwd, model, text, items, refused, ended });
  }

  /** Whatever ran on the thread has ended. What we end ourselves is told when codex has said what came of it. */
  #lost(): void {
    if (this.#onClosed !== undefined) return this.#onClosed();
    const items = closingItems(this.left, this.clock.now());
    this.left.strays = noStrays;
    this.#release();
    if (items.length > 0) this.#tell("gone", { items });
  }

  #end(): void {
    this.#pause.abort(noLongerNeeded);
    this.#feed[Symbol.dispose]();
    this.#thread.onGone();
  }

  #release(): void {
    this.#lease?.[Symbol.dispose]();
    this.#lease = undefined;
  }

  async #unloadNow(): Promise<void> {
    const { server, threadId, clock } = this;
    const over = new AbortController();
    const closed = Promise.withResolvers<boolean>();
    this.#onClosed = () => closed.resolve(true);
    const options = { signal: over.signal, timeoutMs: unloadMs };
    server.request("thread/unsubscribe", { threadId }, options).catch(() => {}); // then it does not close either
    const late = clock.sleep(unloadMs, over.signal).then(() => false);
    const isClosed = await Promise.race([closed.promise, late]);
    over.abort(noLongerNeeded);
    const items = await unloadedItems({ server, clock, ...this.#place() }, this.left, isClosed);
    this.#onClosed = undefined;
    this.left.strays = noStrays;
    this.#release();
    // A thread that codex keeps although nobody wants it now is no reason to do without this codex.
    this.#thread.onUnloaded(!isClosed && !this.#closing);
    if (items.length > 0) this.#tellLate(items);
    if (this.#closing) this.#end();
  }
}

const neverIdle: Fault = {
  code: "refused",
  message:
    "Codex keeps starting turns of its own in this conversation, so the message was not sent: it would have become part of one of them.",
  next: "Send it again, or start a new session.",
};
