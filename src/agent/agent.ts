import { type Follower, type Listener, Refusal, type Stopped, type Unsubscribe } from "../core/host.ts";
import { type SessionId, newId } from "../core/ids.ts";
import type { Session } from "../core/session.ts";
import { lanes } from "../lib/lanes.ts";
import { send } from "./admission.ts";
import type { AgentShared } from "./agent-shared.ts";
import {
  betweenTurns,
  requireNoOpenTurn,
  busyHere,
  requireRuntime,
  requireSession,
} from "./between-turns.ts";
import { compress } from "./compaction/compress.ts";
import { shortener } from "./compaction/shortener.ts";
import { type Elsewhere, elsewhere } from "./following/elsewhere.ts";
import { follow } from "./following/follow.ts";
import type { Agent, AgentDeps, SessionChoices } from "./index.ts";
import { enqueue } from "./job.ts";
import { reconcile, runWaiting } from "./recovery/reconcile.ts";
import { endRunning, runningIn } from "./recovery/still-running.ts";
import { recordUnasked } from "./recovery/unasked.ts";
import { sessionLeases } from "./session-lease.ts";
import { redo, undo } from "./undo.ts";

export function makeAgent(deps: AgentDeps): Agent {
  const shared: AgentShared = {
    deps,
    events: deps.watchers,
    leases: sessionLeases(deps),
    lanes: lanes(),
    jobs: new Map(),
    shortener: deps.compaction && shortener({ ...deps, ...deps.compaction }),
    compressing: new Map(),
    closing: false,
    closed: false,
  };
  const others = elsewhere(deps);
  for (const runtime of Object.values(deps.runtimes))
    runtime.onUnasked?.((work) => void recordUnasked(shared, runtime, work));
  return {
    send: (incoming) => send(shared, incoming),
    stop: (session) => stop(shared, session),
    compress: (session, asked) => compress(shared, session, asked),
    undo: (session, turns) => undo(shared, session, turns),
    redo: (session) => redo(shared, session),
    fork: (session) => fork(shared, session),
    choose: (session, change) => choose(shared, session, change),
    running: (session) => runningIn(deps, session),
    endRunning: (session, id) => endRunning(deps, session, id),
    subscribe: (session, listener, by, wantsElsewhere) =>
      subscribe(shared, session, listener, by, wantsElsewhere === true ? others : undefined),
    catchUp: others.catchUp,
    follow: (wanted, signal) => follow(deps, wanted, signal),
    isBusy: (session) => shared.jobs.has(session),
    reconcile: () => reconcile(deps, shared.leases),
    runWaiting: () =>
      runWaiting(
        deps,
        shared.leases,
        (input, held) => void enqueue(shared, input, held, { attended: "none" }),
      ),
    drain: () => shared.lanes.drain(),
    async [Symbol.asyncDispose]() {
      shared.closing = true;
      for (const [head] of shared.jobs.values()) head?.stop.abort();
      for (const stopped of shared.compressing.values()) stopped.abort();
      await shared.lanes.drain();
      await Promise.all(Object.values(deps.runtimes).map((runtime) => runtime.flushUnasked?.()));
      await shared.lanes.drain();
      await others[Symbol.asyncDispose]();
      shared.closed = true;
    },
  };
}

function subscribe(
  { events }: AgentShared,
  session: SessionId,
  listener: Listener,
  by: Follower | undefined,
  others: Elsewhere | undefined,
): Unsubscribe {
  const leave = events.subscribe(session, listener, by);
  const watch = others?.watch(session);
  return () => {
    leave();
    watch?.[Symbol.dispose]();
  };
}

/** What waits is set aside first, so that nothing starts while the running turn is being interrupted. */
async function stop({ deps, jobs, compressing }: AgentShared, session: SessionId): Promise<Stopped> {
  let setAside = 0;
  for (const input of await deps.store.inbox.inState("waiting", session)) {
    if (await deps.store.inbox.move(input.id, "waiting", "kept")) setAside += 1;
  }
  const head = jobs.get(session)?.[0];
  head?.stop.abort();
  compressing.get(session)?.abort();
  const interrupted = (await head?.ended) !== undefined;
  return { interrupted, setAside, ended: await endRunning(deps, session) };
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
  betweenTurns(shared, id, async ({ title }, { lease }) => {
    const { store, clock } = shared.deps;
    await requireNoOpenTurn(shared.deps, id);
    const at = clock.now();
    const name = title === undefined ? {} : { title: `${title} (fork)` };
    const made = await store.sessions.fork(lease, { id: newId("ses", at), at, ...name });
    if (made !== undefined) return made;
    throw new Refusal("usage", "There is nothing to begin another session with.", "Say something first.");
  });
