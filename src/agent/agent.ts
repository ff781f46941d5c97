import type { Stopped } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import { lanes } from "../lib/lanes.ts";
import { send } from "./admission.ts";
import { choose } from "./choose.ts";
import { compress } from "./compress.ts";
import { fork } from "./fork.ts";
import type { Agent, AgentDeps } from "./index.ts";
import type { Inside } from "./inside.ts";
import { enqueue } from "./job.ts";
import { reconcile } from "./reconcile.ts";
import { sessionLeases } from "./session-lease.ts";
import { shortener } from "./shortener.ts";
import { keepUnasked } from "./unasked.ts";
import { endRunning, runningIn } from "./still-running.ts";
import { redo, undo } from "./undo.ts";

export function makeAgent(deps: AgentDeps): Agent {
  const inside: Inside = {
    deps,
    events: deps.watchers,
    leases: sessionLeases(deps),
    lanes: lanes(),
    jobs: new Map(),
    shortener: deps.compaction && shortener({ ...deps, ...deps.compaction }),
    compressing: new Map(),
    closing: false,
    over: false,
  };
  for (const runtime of Object.values(deps.runtimes))
    runtime.onUnasked?.((work) => void keepUnasked(inside, runtime, work));
  return {
    send: (incoming) => send(inside, incoming),
    stop: (session) => stop(inside, session),
    compress: (session, asked) => compress(inside, session, asked),
    undo: (session, turns) => undo(inside, session, turns),
    redo: (session) => redo(inside, session),
    fork: (session) => fork(inside, session),
    choose: (session, change) => choose(inside, session, change),
    running: (session) => runningIn(deps, session),
    endRunning: (session, id) => endRunning(deps, session, id),
    subscribe: inside.events.subscribe,
    isBusy: (session) => inside.jobs.has(session),
    reconcile: () =>
      reconcile(
        deps,
        inside.leases,
        (input, held) => void enqueue(inside, input, held, { attended: "none" }),
      ),
    drain: () => inside.lanes.drain(),
    async [Symbol.asyncDispose]() {
      inside.closing = true;
      for (const [head] of inside.jobs.values()) head?.stop.abort();
      for (const stopped of inside.compressing.values()) stopped.abort();
      await inside.lanes.drain();
      await Promise.all(Object.values(deps.runtimes).map((runtime) => runtime.settled?.()));
      await inside.lanes.drain();
      inside.over = true;
    },
  };
}

/** What waits is set aside first, so that nothing starts while the running turn is being interrupted. */
async function stop({ deps, jobs, compressing }: Inside, session: SessionId): Promise<Stopped> {
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
