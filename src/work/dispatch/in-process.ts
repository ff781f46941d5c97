import type { InboxId } from "../../core/ids.ts";
import type { StoredInput } from "../../core/session.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { DutyLease } from "../../store/schema/lease-tables.ts";
import { StaleLeaseError, leaseHeartbeatMs } from "../../store/store.ts";
import type { Dispatcher, DispatcherDeps } from "./dispatcher.ts";
import { takeDuty } from "./duty.ts";

/** How long to wait when the store could not be read or written. */
const troubleMs = 30_000;
/** Timers that are set for longer end at once. */
const longestSleepMs = 2 ** 31 - 1;
/** The clock on the wall was moved, or the machine has slept: whatever was waited for may be due. */
const jumpMs = 1500;

/** Sleeps until something is due or has changed; asks for nothing in between. One works at a time, by the lease `tick`. */
export function inProcessDispatcher(deps: DispatcherDeps): Dispatcher {
  const stopped = new AbortController();
  const bell = makeBell(deps.clock);
  const begun = beginning(deps, bell, stopped.signal);
  const changed = (): void => {
    begun.again();
    bell.ring();
  };
  const watch = deps.store.events.watch((here) => {
    if (!here) changed();
  });
  const loop = work(deps, bell, begun, changed, stopped.signal);
  const stop = (): void => {
    stopped.abort(noLongerNeeded);
    watch[Symbol.dispose]();
  };
  return {
    changed,
    stop,
    settled: begun.settled,
    async [Symbol.asyncDispose]() {
      stop();
      await loop;
    },
  };
}

async function work(
  deps: DispatcherDeps,
  bell: Bell,
  begun: Beginning,
  changed: () => void,
  stopped: AbortSignal,
): Promise<void> {
  const { clock, log } = deps;
  let before = driftOf(clock);
  const noticeJump = (): void => {
    const now = driftOf(clock);
    if (Math.abs(now - before) > jumpMs) changed();
    before = now;
  };
  while (!stopped.aborted) {
    const held = await takeDuty(deps, "tick", noticeJump).catch(
      (error: unknown) => void log(`the lease of the dispatcher: ${String(error)}`),
    );
    if (held === undefined || "busy" in held) {
      await bell.wait(leaseHeartbeatMs, stopped);
      bell.quiet();
      continue;
    }
    await using duty = held;
    const until = AbortSignal.any([stopped, duty.lost]);
    while (!until.aborted) await bell.wait(await pass(deps, bell, begun, duty.lease), until);
  }
}

const driftOf = (clock: Clock): number => clock.now() - clock.monotonic();

/** Begins what is due, and says for how long nothing else is. */
async function pass(deps: DispatcherDeps, bell: Bell, begun: Beginning, lease: DutyLease): Promise<number> {
  const { store, source, clock, log } = deps;
  bell.quiet();
  try {
    const planned = await source.plan(lease);
    const now = clock.now();
    for (const input of await store.inbox.due(now)) begun.begin(input);
    const next = [planned, await store.inbox.nextDue(now)].filter((at) => at !== undefined);
    return Math.max(0, Math.min(...next, now + longestSleepMs) - clock.now());
  } catch (error) {
    if (!(error instanceof StaleLeaseError)) log(`what is due could not be looked at: ${String(error)}`);
    return troubleMs;
  }
}

type Beginning = {
  begin(input: StoredInput): void;
  /** What could not be done before may be now. */
  again(): void;
  settled(): Promise<void>;
};

function beginning({ source, most, clock }: DispatcherDeps, bell: Bell, stopped: AbortSignal): Beginning {
  const running = new Map<InboxId, Promise<void>>();
  /** Tried already, and left until something changes. */
  const postponed = new Set<InboxId>();
  const run = async (input: StoredInput): Promise<void> => {
    const how = await source.run(input);
    running.delete(input.id);
    if (how === "done") postponed.clear();
    if (how !== "done") postponed.add(input.id);
    if (how === "trouble") void afterTrouble(input.id);
    bell.ring();
  };
  const afterTrouble = async (id: InboxId): Promise<void> => {
    await clock.sleep(troubleMs, stopped).catch(() => {});
    postponed.delete(id);
    bell.ring();
  };
  return {
    begin(input) {
      const { id } = input;
      if (stopped.aborted || running.has(id) || postponed.has(id) || running.size >= most) return;
      running.set(id, run(input));
    },
    again: () => postponed.clear(),
    async settled() {
      await Promise.all(running.values());
    },
  };
}

/** Rings until somebody has heard it. */
type Bell = {
  ring(): void;
  quiet(): void;
  /** So long, or until it rings. */
  wait(ms: number, until: AbortSignal): Promise<void>;
};

function makeBell(clock: Clock): Bell {
  let next = Promise.withResolvers<void>();
  return {
    ring: () => next.resolve(),
    quiet: () => void (next = Promise.withResolvers<void>()),
    async wait(ms, until) {
      const over = new AbortController();
      const signal = AbortSignal.any([until, over.signal]);
      await Promise.race([clock.sleep(ms, signal).catch(() => {}), next.promise]);
      over.abort(noLongerNeeded);
    },
  };
}
