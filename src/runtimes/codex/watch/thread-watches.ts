import type { Running } from "../../../core/events.ts";
import { type SessionId, asId } from "../../../core/ids.ts";
import type { Ports, Turn, UnaskedWork } from "../../runtime.ts";
import type { AppServer } from "../process/app-server.ts";
import type { AppServerPool } from "../process/pool.ts";
import { forgetLoaded } from "../thread/thread.ts";
import { fieldsOf, idIn } from "../wire/fields.ts";
import { endTerminals } from "./close-terminals.ts";
import { type ThreadWatch, type WatchedThread, threadWatch } from "./thread-watch.ts";

export type WatchDeps = {
  readonly pool: Pick<AppServerPool, "drain" | "hold">;
  readonly onWork: (work: UnaskedWork) => void;
  /** Masks secrets. */
  readonly redact: (text: string) => string;
  /** A turn was stopped on a thread of which nobody knows whose it is. */
  readonly onUnknownThread: () => void;
};

/** Somebody of ours reads every thread that codex has in hand for us, also between turns and also those it starts itself. */
export type ThreadWatches = {
  /** The watch of the thread on which this turn runs. */
  of(
    server: AppServer,
    thread: { readonly id: string; readonly model: string },
    turn: Turn,
    ports: Pick<Ports, "clock">,
  ): ThreadWatch;
  /** A turn on one of its threads is about to come. */
  onInput(session: SessionId): void;
  /** Resolves when no thread of this session is being unloaded. */
  ready(session: SessionId): Promise<void>;
  /** The same of all, so that nothing is told later. */
  settled(): Promise<void>;
  /** Lets threads of this session go that no turn uses, so that another process can have them. */
  release(session: SessionId): Promise<void>;
  running(session: SessionId): readonly Running[];
  endRunning(session: SessionId, id?: string): Promise<readonly Running[]>;
};

const requestMs = 5_000;
/** Threads that rest in a codex while others are used. The next turn of one that was let go resumes it. */
const mostResting = 64;
/** One that was wanted so lately may have a turn that is being made ready. */
const restMs = 30_000;
/** Whose a turn is when nobody can say. */
const nobody = asId<"ses">("");

export function threadWatches(deps: WatchDeps): ThreadWatches {
  const all = new Set<ThreadWatch>();
  const attended = new WeakSet<AppServer>();

  const find = (server: AppServer, threadId: string | undefined): ThreadWatch | undefined =>
    [...all].find((watch) => watch.server === server && watch.threadId === threadId);

  function open(
    thread: Omit<WatchedThread, "hold" | "redact" | "onWork" | "onGone" | "onUnloaded">,
  ): ThreadWatch {
    const { server, threadId } = thread;
    const watch = threadWatch({
      ...thread,
      hold: () => deps.pool.hold(server),
      redact: deps.redact,
      onWork: (work) => (work.session === nobody ? deps.onUnknownThread() : deps.onWork(work)),
      onGone: () => void all.delete(watch),
      onUnloaded(stuck) {
        forgetLoaded(server, threadId);
        if (stuck) deps.pool.drain(server, "stale");
      },
    });
    all.add(watch);
    return watch;
  }

  /** Codex has begun a turn on a thread of its own: the frames wait until it is known whose it is. */
  async function adopt(server: AppServer, threadId: string, { clock }: Pick<Ports, "clock">): Promise<void> {
    const parent = find(server, await parentOf(server, threadId));
    if (find(server, threadId) !== undefined) return;
    const { session, cwd, model } = parent ?? { session: nobody, cwd: "/", model: "" };
    open({ server, threadId, session, cwd, model, clock, kind: "helper" });
  }

  return {
    of(server, { id, model }, { session, cwd }, { clock }) {
      if (!attended.has(server)) server.onUnread((threadId) => void adopt(server, threadId, { clock }));
      attended.add(server);
      const known = find(server, id);
      if (known !== undefined) return known;
      letGo(all, server, clock.monotonic());
      return open({ server, threadId: id, session, cwd, model, clock, kind: "own" });
    },
    onInput(session) {
      for (const watch of ofSession(all, session)) watch.askAhead();
    },
    async ready(session) {
      await Promise.all(ofSession(all, session).map((watch) => watch.ready()));
    },
    async settled() {
      await Promise.all([...all].map((watch) => watch.ready()));
    },
    async release(session) {
      const resting = ofSession(all, session).filter(({ restingSince }) => restingSince !== undefined);
      await Promise.all(resting.map((watch) => watch.close()));
    },
    running: (session) =>
      ofSession(all, session).flatMap(({ left }) =>
        left.running().map(({ id, command, since }) => ({ id, command, since })),
      ),
    endRunning: (session, id) => endRunning(ofSession(all, session), id),
  };
}

async function endRunning(
  watches: readonly ThreadWatch[],
  id: string | undefined,
): Promise<readonly Running[]> {
  const ended: Running[] = [];
  for (const { server, threadId, left, clock } of watches) {
    const wanted = left.running().filter((one) => id === undefined || one.id === id);
    if (wanted.length === 0) continue;
    const items = wanted.map(({ item }) => item);
    await endTerminals(server, threadId, (itemId) => items.includes(itemId));
    await left.ended(items, clock);
    const still = new Set(left.running().map(({ item }) => item));
    ended.push(...wanted.filter(({ item }) => !still.has(item)));
  }
  return ended;
}

/** Whoever has many conversations has few at a time; each that stays costs memory here and in codex. */
function letGo(all: ReadonlySet<ThreadWatch>, server: AppServer, nowMs: number): void {
  const resting = [...all]
    .flatMap((watch) => {
      const { restingSince: sinceMs } = watch;
      return watch.server === server && sinceMs !== undefined ? [{ watch, sinceMs }] : [];
    })
    .toSorted((a, b) => a.sinceMs - b.sinceMs);
  for (const { watch, sinceMs } of resting.slice(0, Math.max(0, resting.length - mostResting)))
    if (nowMs - sinceMs > restMs) void watch.close();
}

const ofSession = (all: ReadonlySet<ThreadWatch>, session: SessionId): readonly ThreadWatch[] =>
  [...all].filter((watch) => watch.session === session);

async function parentOf(server: AppServer, threadId: string): Promise<string | undefined> {
  const { signal } = new AbortController();
  const options = { signal, timeoutMs: requestMs };
  const reply = await server.request("thread/read", { threadId }, options).catch(() => undefined);
  const thread = fieldsOf(fieldsOf(reply)["thread"]);
  const spawned = fieldsOf(fieldsOf(fieldsOf(thread["source"])["subAgent"])["thread_spawn"]);
  return idIn(thread, "parentThreadId") ?? idIn(spawned, "parent_thread_id");
}
