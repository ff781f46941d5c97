import type { NoticeEvent } from "../core/events.ts";
import { type Incoming, type Sent, attendedFor } from "../core/host.ts";
import { newId } from "../core/ids.ts";
import type { StoredInput } from "../core/session.ts";
import type { Runtime } from "../runtimes/runtime.ts";
import type { Begun } from "../store/schema/opened-turn.ts";
import type { AgentShared, Ended, Job, OpenJob } from "./agent-shared.ts";
import { chosenRuntime } from "./chosen-runtime.ts";
import { commitEnd } from "./commit.ts";
import type { AgentDeps } from "./index.ts";
import { crashNotices } from "./news.ts";
import { isAllOf } from "./own-turns.ts";
import { closeOpenTurn } from "./recovery/reconcile.ts";
import { endRunning } from "./recovery/still-running.ts";
import { closeLater } from "./recovery/unkept-end.ts";
import { runTurn, stopFault, toFault } from "./run-turn.ts";
import type { HeldLease } from "./session-lease.ts";

/** Puts an admitted input into its session's lane. Takes over the caller's hold on the lease. `opened`: its open turn. */
export function enqueue(
  shared: AgentShared,
  input: StoredInput,
  held: HeldLease,
  { choices = {}, attended }: Pick<Incoming, "choices" | "attended">,
  opened?: Begun["opened"],
): Sent {
  const { session } = input;
  const { jobs, lanes, leases, deps } = shared;
  const queue = jobs.get(session) ?? [];
  jobs.set(session, queue);
  const job: Job = {
    input,
    choices,
    attended: attendedFor(input.from, attended),
    held,
    stop: new AbortController(),
    unsure: [],
    isSettled: false,
    holdsLease: true,
    ended: lanes.run(session, async () => {
      try {
        return await runInput(shared, job, opened);
      } catch (error) {
        return await couldNotStart(shared, { ...opened, ...job }, error);
      } finally {
        queue.shift();
        if (queue.length === 0) jobs.delete(session);
        if (job.holdsLease)
          await leases
            .release(session)
            .catch((error: unknown) => deps.log(`lease of ${session}: ${String(error)}`));
      }
    }),
  };
  queue.push(job);
  if (shared.closing) job.stop.abort();
  return { session, inbox: input.id, state: queue.length > 1 ? "queued" : "running", ended: job.ended };
}

async function runInput(shared: AgentShared, job: Job, opened: Begun["opened"]): Ended {
  const { deps, events } = shared;
  const { from } = job.input;
  await deps.standing?.check(job.input);
  const found = opened ?? (shared.closing ? undefined : await openTurn(shared, job));
  if (found === undefined) return undefined;
  const { session, turn } = found;
  // The session is ours now, so nothing of what others did in it comes after this, and nothing of ours before it.
  await shared.catchUp(session.id, opened?.found?.events);
  const runtime = runtimeOf(deps, turn.runtime);
  const open = Object.assign(job, found, { runtime, say: events.publisher(session.id, turn.id) });
  const isPart = session.parent !== undefined;
  using allowance = await deps.standing?.begin(job.input, isPart, (why) => job.stop.abort(why));
  if (allowance?.left !== undefined) open.left = allowance.left;
  const ended = await runTurn(shared, open, await newsFor(deps, open));
  // What the turn has left running goes with the one that it was for.
  if (stopFault(job) !== undefined && (await isAllOf(deps.store, session.id, from)))
    await endRunning(deps, session.id);
  return ended;
}

/** What there is to tell the person with this turn. */
const newsFor = async (
  deps: AgentDeps,
  { session, input, found, turn }: OpenJob,
): Promise<readonly NoticeEvent[]> => [
  ...(found?.hasUntold === false ? [] : await crashNotices(deps, session.id)),
  ...((await deps.news?.(session, turn.id, input.key.surface, found)) ?? []),
];

/** What was chosen for this turn stays with its session. */
async function openTurn({ deps, unkept }: AgentShared, job: Job) {
  const { store, clock, watchers } = deps;
  const { input, choices, held } = job;
  const before = await store.sessions.get(input.session);
  if (before === undefined) throw new Error(`session ${input.session} is gone`);
  await store.sessions.update(before.id, choices);
  const session = (await store.sessions.get(before.id)) ?? before;
  const runtime = chosenRuntime(deps, session, choices);
  await closeOpenTurn(deps, held, session.id, unkept.faults);
  const at = clock.now();
  const opening = { id: watchers.own(newId("trn", at)), inbox: input.id, runtime, cwd: session.cwd, at };
  const turn = await store.turns.open(held.lease, opening);
  return turn && { session, turn, before };
}

function runtimeOf({ runtimes }: Pick<AgentDeps, "runtimes">, name: string): Runtime {
  const runtime = runtimes[name];
  if (runtime === undefined) throw new Error(`no runtime ${name}`);
  return runtime;
}

/** The input is durable, but its turn could not be started: it is set aside or ended, and the person hears why. */
async function couldNotStart(shared: AgentShared, job: Job, error: unknown): Ended {
  const { deps, events } = shared;
  const { input, held, turn } = job;
  const ended = { type: "ended", outcome: "failed", fault: toFault(error), text: "", calls: 0 } as const;
  if (turn === undefined) await deps.store.inbox.move(input.id, "waiting", "kept").catch(() => false);
  if (turn !== undefined)
    await commitEnd(deps, held.lease, turn.id, ended, input, { tell: false }).catch(
      (unkept: unknown) => void closeLater(shared, turn, toFault(unkept)),
    );
  return events.publisher(input.session, turn?.id ?? newId("trn", deps.clock.now()))(ended);
}
