import type { Sent, TurnChoices } from "../core/host.ts";
import { type SessionId, newId } from "../core/ids.ts";
import type { Session, StoredInput } from "../core/session.ts";
import type { AgentDeps } from "./index.ts";
import type { Ended, Inside, Job, Wishes } from "./inside.ts";
import { newsOf } from "./news.ts";
import { runTurn, toFault } from "./run-turn.ts";
import type { HeldLease } from "./session-lease.ts";

/** Puts an admitted input into its session's lane. Takes over the caller's hold on the lease. */
export function enqueue(inside: Inside, row: StoredInput, held: HeldLease, wishes: Wishes): Sent {
  const { session } = row;
  const { jobs, lanes, leases, deps } = inside;
  const queue = jobs.get(session) ?? [];
  jobs.set(session, queue);
  const job: Job = {
    stop: new AbortController(),
    ended: lanes.run(session, async () => {
      try {
        return await runInput(inside, row, held, wishes, job);
      } catch (error) {
        return await couldNotStart(inside, row, error);
      } finally {
        queue.shift();
        if (queue.length === 0) jobs.delete(session);
        await leases
          .letGo(session)
          .catch((error: unknown) => deps.log(`lease of ${session}: ${String(error)}`));
      }
    }),
  };
  queue.push(job);
  return { session, inbox: row.id, state: queue.length > 1 ? "queued" : "running", ended: job.ended };
}

async function runInput(
  { deps, events, closing }: Inside,
  row: StoredInput,
  held: HeldLease,
  { choices = {}, attended }: Wishes,
  job: Job,
): Ended {
  if (closing) return undefined;
  const session = await sessionWith(deps, row.session, choices);
  const runtimeName = session.runtime ?? deps.defaultRuntime;
  const runtime = deps.runtimes[runtimeName];
  if (runtime === undefined) throw new Error(`no runtime ${runtimeName}`);
  const at = deps.clock.now();
  const id = newId("trn", at);
  const opening = { id, inbox: row.id, runtime: runtimeName, cwd: session.cwd, at };
  const turn = await deps.store.turns.open(held.lease, opening);
  if (turn === undefined) return undefined;
  const say = events.voice(session.id, id);
  job.turn = { id, runtime, say };
  const news = await newsOf(deps.store, session.id);
  const stop = job.stop.signal;
  return await runTurn(deps, {
    session,
    held,
    turn,
    input: row,
    runtime,
    choices,
    attended,
    stop,
    say,
    news,
  });
}

/** The session as it is from now on: what was chosen for this turn stays with it. */
async function sessionWith({ store }: AgentDeps, id: SessionId, choices: TurnChoices): Promise<Session> {
  const { runtime, model, effort, cwd } = choices;
  const change = Object.fromEntries(
    Object.entries({ runtime, model, effort, cwd }).filter(([, value]) => value !== undefined),
  );
  if (Object.keys(change).length > 0) await store.sessions.update(id, change);
  const session = await store.sessions.get(id);
  if (session === undefined) throw new Error(`session ${id} is gone`);
  return session;
}

/** The input is durable, but its turn could not be opened: it is set aside, and the person hears why. */
async function couldNotStart({ deps, events }: Inside, row: StoredInput, error: unknown): Ended {
  await deps.store.inbox.move(row.id, "waiting", "kept").catch(() => false);
  const say = events.voice(row.session, newId("trn", deps.clock.now()));
  return say({ type: "ended", outcome: "failed", fault: toFault(error), text: "", calls: 0 });
}
