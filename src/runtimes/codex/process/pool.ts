import { FaultError } from "../../../core/faults.ts";
import type { Clock } from "../../../lib/clock.ts";
import { lanes } from "../../../lib/lanes.ts";
import type { AppServer } from "./app-server.ts";
import { goneWords } from "./gone.ts";
import type { Launch } from "./launch.ts";
import { sharedServer, type DrainReason, type LeasedServer, type SharedServer } from "./shared-server.ts";

export type { DrainReason, LeasedServer } from "./shared-server.ts";

export type AppServerPool = AsyncDisposable & {
  /**
   * The app-server of that launch, started if there is none. Rejects with what `start` rejects with, with the signal's
   * reason, or with a `FaultError`: `lost` when it ended too often to be started again just now.
   */
  lease(launch: Launch, signal: AbortSignal): Promise<LeasedServer>;
  /** One more lease of this very process, unless it is on its way out. */
  hold(server: AppServer): LeasedServer | undefined;
  /** New leases get another process. This one ends when its last lease is given back, or when it is gone anyway. */
  drain(server: AppServer, why: DrainReason): void;
};

export type PoolOptions = {
  /** The signal aborts when the pool is disposed. */
  readonly start: (launch: Launch, signal: AbortSignal) => Promise<AppServer>;
  readonly clock: Clock;
  /** How long one stays that nobody leases. */
  readonly idleMs?: number;
};

const defaultIdleMs = 10 * 60_000;

/** What is known of one launch. */
type Slot = { readonly policy: RestartPolicy; lastWords: string; current: Promise<SharedServer> | undefined };

/** One process per launch, shared by all who lease it. Disposing ends them all. */
export function appServerPool({ start, clock, idleMs = defaultIdleMs }: PoolOptions): AppServerPool {
  const slots = new Map<string, Slot>();
  const servers = new Set<SharedServer>();
  const homes = homeStarts();
  const closing = new AbortController();

  async function open(launch: Launch, slot: Slot): Promise<SharedServer> {
    const verdict = slot.policy.start();
    if (verdict.kind === "parked") throw parked(verdict.ms, slot.lastWords);
    if (verdict.ms > 0) await clock.sleep(verdict.ms, closing.signal);
    const server = await homes.start(launch.home, async () => {
      closing.signal.throwIfAborted();
      return start(launch, closing.signal);
    });
    const shared: SharedServer = sharedServer({
      server,
      clock,
      idleMs,
      onCrash(gone) {
        slot.policy.crashed();
        slot.lastWords = goneWords(gone);
      },
      onLeaving: () => (slot.current = undefined),
      onEnding(ending) {
        servers.delete(shared);
        homes.ending(launch.home, ending);
      },
    });
    servers.add(shared);
    if (closing.signal.aborted) shared.end();
    return shared;
  }

  function current(launch: Launch): Promise<SharedServer> {
    const slot = slots.get(launch.key) ?? newSlot(clock);
    slots.set(launch.key, slot);
    if (slot.current !== undefined) return slot.current;
    slot.current = open(launch, slot);
    slot.current.catch(() => (slot.current = undefined)); // whoever waits is told
    return slot.current;
  }

  return {
    async lease(launch, signal) {
      for (;;) {
        signal.throwIfAborted();
        closing.signal.throwIfAborted();
        const shared = await orAbort(current(launch), signal);
        if (!shared.leaving) return shared.lease();
      }
    },
    hold: (server) => oneMore(ofServer(servers, server)),
    drain: (server, why) => ofServer(servers, server)?.drain(why),
    async [Symbol.asyncDispose]() {
      closing.abort(closed());
      const starts = [...slots.values()].map((slot) => slot.current);
      for (const shared of servers) shared.end();
      await Promise.allSettled(starts);
      await homes.drain();
    },
  };
}

const ofServer = (servers: ReadonlySet<SharedServer>, server: AppServer): SharedServer | undefined =>
  [...servers].find((shared) => shared.server === server);

const oneMore = (shared: SharedServer | undefined): LeasedServer | undefined =>
  shared?.leaving === false ? shared.lease() : undefined;

const newSlot = (clock: Clock): Slot => ({
  policy: restartPolicy(clock),
  lastWords: "",
  current: undefined,
});

const closed = (): FaultError =>
  new FaultError({
    code: "lost",
    message: "Talaria is closing, so codex is not started any more.",
    next: "Start Talaria again.",
  });

const parked = (ms: number, lastWords: string): FaultError =>
  new FaultError({
    code: "lost",
    message: `Codex ended unexpectedly again and again, so it is left alone for a while. ${lastWords}`,
    next: `Try again in ${Math.ceil(ms / 1000)} seconds, or go on without codex: /runtime loop`,
  });

/** As the promise, or rejects with the signal's reason if that comes first. */
function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    const done = (): void => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(done);
  });
}

/** The order of starts and ends on each CODEX_HOME. */
type HomeStarts = {
  /**
   * Runs the start when nothing is ending on that home: a process that is ending still holds its threads, and codex
   * refuses to open them twice. Until one start has succeeded they go one by one, because codex cannot prepare a fresh
   * home twice at the same time.
   */
  start<T>(home: string, job: () => Promise<T>): Promise<T>;
  /** Never rejects, or it is not waited for. */
  ending(home: string, ended: Promise<void>): void;
  /** Resolves when nothing is ending any more. */
  drain(): Promise<void>;
};

function homeStarts(): HomeStarts {
  const firstStarts = lanes<string>();
  const prepared = new Set<string>();
  const endings = new Map<Promise<void>, string>();

  return {
    async start(home, job) {
      const begin = async () => {
        await Promise.all([...endings].flatMap(([ended, where]) => (where === home ? [ended] : [])));
        return job();
      };
      const started = await (prepared.has(home) ? begin() : firstStarts.run(home, begin));
      prepared.add(home);
      return started;
    },
    ending(home, ended) {
      endings.set(ended, home);
      void ended.then(() => endings.delete(ended));
    },
    async drain() {
      while (endings.size > 0) await Promise.all(endings.keys());
    },
  };
}

const backoffMs = [500, 2_000, 8_000, 30_000] as const;
const windowMs = 3 * 60_000;

/** `wait`: after so long it may be started. `parked`: it ended too often, and is left alone for so long. */
type RestartVerdict =
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "parked"; readonly ms: number };

type RestartPolicy = {
  /** It ended, and nobody wanted that. */
  crashed(): void;
  /** May it be started? The first start after a crash counts. */
  start(): RestartVerdict;
};

/** Four restarts within three minutes, each after a longer pause; time alone makes it forget. */
function restartPolicy(clock: Clock): RestartPolicy {
  let restarts: readonly number[] = [];
  let crashedMs: number | undefined;

  return {
    crashed() {
      crashedMs = clock.monotonic();
    },
    start() {
      if (crashedMs === undefined) return { kind: "wait", ms: 0 };
      const now = clock.monotonic();
      restarts = restarts.filter((time) => now - time < windowMs);
      const pause = backoffMs[restarts.length];
      if (pause === undefined) return { kind: "parked", ms: windowMs - (now - (restarts[0] ?? now)) };
      const ms = Math.max(0, crashedMs + pause - now);
      restarts = [...restarts, now + ms];
      crashedMs = undefined;
      return { kind: "wait", ms };
    },
  };
}
