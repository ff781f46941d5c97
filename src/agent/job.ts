import { type Attended, type Sent, type TurnChoices, attendedFor } from "../core/host.ts";
import { type SessionId, type TurnId, newId } from "../core/ids.ts";
import type { Session, StoredInput } from "../core/session.ts";
import type { Runtime } from "../runtimes/runtime.ts";
import type { Begun } from "../store/store.ts";
import { commitEnd } from "./commit.ts";
import type { AgentDeps } from "./index.ts";
import type { Ended, AgentShared, Job, RunOptions } from "./agent-shared.ts";
import { crashNotices } from "./news.ts";
import { type TurnJob, runTurn, toFault } from "./run-turn.ts";
import type { HeldLease } from "./session-lease.ts";

type Opened = NonNullable<Begun["opened"]> & Pick<TurnJob, "before">;

/** Puts an admitted input into its session's lane. Takes over the caller's hold on the lease. `opened`: its open turn. */
export function enqueue(
  shared: AgentShared,
  row: StoredInput,
  held: HeldLease,
  options: RunOptions,
  opened?: Opened,
): Sent {
  const { session } = row;
  const { jobs, lanes, leases, deps } = shared;
  const queue = jobs.get(session) ?? [];
  jobs.set(session, queue);
  const attended = attendedFor(row.from, options.attended);
  const job: Job = {
    attended,
    stop: new AbortController(),
    holdsLease: true,
    ended: lanes.run(session, async () => {
      try {
        return await runInput(shared, row, held, options.choices, job, opened);
      } catch (error) {
        return await couldNotStart(shared, row, held, job.turn?.id ?? opened?.turn.id, error);
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
  return { session, inbox: row.id, state: queue.length > 1 ? "queued" : "running", ended: job.ended };
}

async function runInput(
  shared: AgentShared,
  row: StoredInput,
  held: HeldLease,
  choices: TurnChoices = {},
  job: Job,
  opened?: Opened,
): Ended {
  const { deps, events, leases } = shared;
  const open = opened ?? (shared.closing ? undefined : await openTurn(deps, row, held, choices));
  if (open === undefined) return undefined;
  const { session, turn, before } = open;
  const runtime = runtimeOf(deps, turn.runtime);
  const say = events.publisher(session.id, turn.id);
  job.turn = { id: turn.id, runtime, say };
  const news = [...(await crashNotices(deps, session.id)), ...((await deps.news?.(session.id)) ?? [])];
  const stop = job.stop.signal;
  const releaseLease: TurnJob["releaseLease"] = (last) => {
    job.holdsLease = false;
    return leases.release(session.id, last);
  };
  return await runTurn(deps, {
    session,
    before,
    held,
    releaseLease,
    turn,
    input: row,
    runtime,
    choices,
    attended: job.attended,
    unattended: isUnattended(shared, session, job.attended),
    stop,
    say,
    news,
    shortener: shared.shortener,
    handOverTo: (other) => {
      job.turn = { id: turn.id, runtime: other, say };
    },
  });
}

/** A task that was handed on asks through the turn that waits for it. */
function isUnattended({ jobs }: AgentShared, { parent }: Session, attended: Attended): boolean {
  const [waiting] = parent === undefined ? [] : (jobs.get(parent) ?? []);
  return attended === "none" && (waiting?.attended ?? "none") === "none";
}

async function openTurn(
  deps: AgentDeps,
  row: StoredInput,
  { lease }: HeldLease,
  choices: TurnChoices,
): Promise<Opened | undefined> {
  const { session, before } = await sessionWith(deps, row.session, choices);
  const runtime = session.runtime ?? deps.defaultRuntime;
  runtimeOf(deps, runtime);
  const at = deps.clock.now();
  const opening = { id: newId("trn", at), inbox: row.id, runtime, cwd: session.cwd, at };
  const turn = await deps.store.turns.open(lease, opening);
  return turn && { session, turn, before };
}

function runtimeOf({ runtimes }: AgentDeps, name: string): Runtime {
  const runtime = runtimes[name];
  if (runtime === undefined) throw new Error(`no runtime ${name}`);
  return runtime;
}

/** The session as it is from now on: what was chosen for this turn stays with it. */
async function sessionWith(
  { store }: AgentDeps,
  id: SessionId,
  choices: TurnChoices,
): Promise<Pick<Opened, "session" | "before">> {
  const before = await store.sessions.get(id);
  if (before === undefined) throw new Error(`session ${id} is gone`);
  const { runtime, model, effort, cwd } = choices;
  const chosen = [runtime, model, effort, cwd].some((value) => value !== undefined);
  if (chosen) await store.sessions.update(id, choices);
  return { session: (chosen ? await store.sessions.get(id) : before) ?? before, before };
}

/** The input is durable, but its turn could not be started: it is set aside or ended, and the person hears why. */
async function couldNotStart(
  { deps, events }: AgentShared,
  row: StoredInput,
  { lease }: HeldLease,
  turn: TurnId | undefined,
  error: unknown,
): Ended {
  const ended = { type: "ended", outcome: "failed", fault: toFault(error), text: "", calls: 0 } as const;
  if (turn === undefined) await deps.store.inbox.move(row.id, "waiting", "kept").catch(() => false);
  if (turn !== undefined) await commitEnd(deps, lease, turn, ended, row, { tell: false }).catch(() => {});
  return events.publisher(row.session, turn ?? newId("trn", deps.clock.now()))(ended);
}
