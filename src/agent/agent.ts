import { type Follower, type Listener, Refusal, type Unsubscribe } from "../core/host.ts";
import { type SessionId, type TurnId, newId } from "../core/ids.ts";
import type { Session, StoredInput } from "../core/session.ts";
import { noLongerNeeded } from "../lib/no-longer-needed.ts";
import { lanes } from "../lib/lanes.ts";
import type { Lease } from "../store/store.ts";
import { begun, send, startWaiting } from "./admission.ts";
import type { AgentShared } from "./agent-shared.ts";
import { betweenTurns, requireNoOpenTurn, busyHere, requireSession } from "./between-turns.ts";
import { requireRuntime } from "./chosen-runtime.ts";
import { compress } from "./compaction/compress.ts";
import { shortener } from "./compaction/shortener.ts";
import { type Elsewhere, elsewhere } from "./following/elsewhere.ts";
import { follow } from "./following/follow.ts";
import type { Agent, AgentDeps, SessionChoices } from "./index.ts";
import { enqueue } from "./job.ts";
import { knownHistories } from "./known-histories.ts";
import { reconcile, runWaiting } from "./recovery/reconcile.ts";
import { endRunning, runningIn } from "./recovery/still-running.ts";
import { recordUnasked } from "./recovery/unasked.ts";
import { type HeldLease, sessionLeases } from "./session-lease.ts";
import { isAllOf, somebodyElses } from "./own-turns.ts";
import { stop } from "./stop.ts";
import { redo, undo } from "./undo/undo.ts";

export function makeAgent(deps: AgentDeps): Agent {
  const others = elsewhere(deps);
  const shared: AgentShared = {
    deps,
    events: deps.watchers,
    leases: sessionLeases(deps),
    lanes: lanes(),
    jobs: new Map(),
    beginning: new Map(),
    histories: knownHistories(deps.store),
    catchUp: others.catchUp,
    shortener: deps.compaction && shortener({ ...deps, ...deps.compaction }),
    compressing: new Map(),
    unkept: { faults: new Map(), over: new AbortController() },
    closing: false,
    closed: false,
  };
  for (const runtime of Object.values(deps.runtimes))
    runtime.onUnasked?.((work) => void recordUnasked(shared, runtime, work));
  giveWay(shared);
  return {
    ...taking(shared),
    stop: (session, by) => stop(shared, session, by),
    compress: (session, asked) => compress(shared, session, asked),
    undo: (session, turns, by) => undo(shared, session, turns, by),
    redo: (session, by) => redo(shared, session, by),
    fork: (session, upTo) => (upTo === undefined ? fork(shared, session) : branch(shared, session, upTo)),
    choose: (session, change) => choose(shared, session, change),
    running: (session) => runningIn(deps, session),
    async endRunning(session, id, by) {
      if (await isAllOf(deps.store, session, by)) return endRunning(deps, session, id);
      throw somebodyElses("What runs here may be of somebody else's turn.");
    },
    subscribe: (session, listener, by, wantsElsewhere) =>
      subscribe(shared, session, listener, by, wantsElsewhere === true ? others : undefined),
    catchUp: others.catchUp,
    follow: (wanted, signal) => follow(deps, wanted, signal),
    isBusy: (session) => shared.jobs.has(session),
    release: (session) => release(shared, session),
    busy: () => shared.jobs.size,
    reconcile: () => reconcile(deps, shared.leases),
    // What is sent meanwhile waits for it.
    reconcileSession: (session) => shared.lanes.run(session, () => reconcile(deps, shared.leases, session)),
    runWaiting: () => runWaiting(deps, shared.leases, (input, held) => runAgain(shared, input, held)),
    drain: () => shared.lanes.drain(),
    async [Symbol.asyncDispose]() {
      shared.closing = true;
      shared.unkept.over.abort(noLongerNeeded);
      for (const [head] of shared.jobs.values()) head?.stop.abort();
      for (const stopped of shared.compressing.values()) stopped.abort();
      await Promise.allSettled([...shared.beginning.values()].flatMap((some) => [...some]));
      await shared.lanes.drain();
      await Promise.all(Object.values(deps.runtimes).map((runtime) => runtime.flushUnasked?.()));
      await shared.lanes.drain();
      await others[Symbol.asyncDispose]();
      shared.closed = true;
    },
  };
}

/** Who has written in a chat can be asked there, also after a restart. */
function runAgain(shared: AgentShared, input: StoredInput, held: HeldLease): void {
  const isChat = shared.deps.answering(input.key.surface) === "posted";
  void enqueue(shared, input, held, { attended: isChat ? "ask" : "none" });
}

const taking = (shared: AgentShared): Pick<Agent, "send" | "start"> => ({
  send: (incoming) => send(shared, incoming),
  start: (input, choices) => begun(shared, input.session, startWaiting(shared, input, choices)),
});

/** A turn that has begun elsewhere needs what a runtime keeps of its session here between turns, such as a codex thread. */
function giveWay(shared: AgentShared): void {
  const { deps, events } = shared;
  events.overhear(({ type, session, elsewhere: isElsewhere }) => {
    if (isElsewhere !== true || type !== "started") return;
    release(shared, session).catch((error: unknown) =>
      deps.log(`letting go of ${session}: ${String(error)}`),
    );
  });
}

async function release({ deps, jobs }: AgentShared, session: SessionId): Promise<boolean> {
  if (jobs.has(session)) return false;
  await Promise.all(Object.values(deps.runtimes).map((runtime) => runtime.release?.(session)));
  return true;
}

function subscribe(
  { events }: AgentShared,
  session: SessionId,
  listener: Listener,
  by: Follower | undefined,
  others: Elsewhere | undefined,
): Unsubscribe {
  const leave = events.subscribe(session, listener, by, others !== undefined);
  const watch = others?.watch(session);
  return () => {
    leave();
    watch?.[Symbol.dispose]();
  };
}

/** What the next turns of a session run with. A turn that runs keeps what it began with, so nothing is changed under it. */
async function choose(
  { deps, jobs }: AgentShared,
  id: SessionId,
  { runtime, model, effort }: SessionChoices,
): Promise<void> {
  const session = await requireSession(deps, id);
  if (jobs.has(id)) throw busyHere(id);
  if (runtime !== undefined) requireRuntime(deps, runtime, session);
  await deps.store.sessions.update(id, {
    ...(runtime === undefined ? {} : { runtime }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
  });
}

/** Begins a new session with all that models are given of this one. */
const fork = (shared: AgentShared, id: SessionId): Promise<Session> =>
  betweenTurns(shared, id, async (session, { lease }) => {
    await requireNoOpenTurn(shared.deps, id);
    return await copied(shared, session, lease);
  });

/** Begins one with what was said up to the end of a turn. That is settled, whatever runs now. */
async function branch(shared: AgentShared, id: SessionId, upTo: TurnId): Promise<Session> {
  const { deps, leases } = shared;
  if (shared.closing)
    throw new Refusal("stopping", "Talaria is shutting down.", "Do it again after the restart.");
  const { lease } = await leases.hold(id);
  try {
    return await copied(shared, await requireSession(deps, id), lease, upTo);
  } finally {
    await leases.release(id);
  }
}

async function copied(
  { deps: { store, clock } }: AgentShared,
  { title }: Session,
  lease: Lease,
  upTo?: TurnId,
): Promise<Session> {
  const at = clock.now();
  const name = title === undefined ? {} : { title: `${title} (fork)` };
  const cut = upTo === undefined ? {} : { upTo };
  const made = await store.sessions.fork(lease, { id: newId("ses", at), at, ...name, ...cut });
  if (made !== undefined) return made;
  throw new Refusal("usage", "There is nothing to begin another session with.", "Say something first.");
}
