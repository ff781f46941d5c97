import type { EndedEnvelope, EndedEvent, NoticeEvent, StartedEvent } from "../core/events.ts";
import { type Fault, FaultError, bugFault } from "../core/faults.ts";
import type { Message } from "../core/messages.ts";
import { rightsOf } from "../core/principal.ts";
import { addUsage } from "../core/spend.ts";
import type { Ports, Turn } from "../runtimes/runtime.ts";
import { StaleLeaseError } from "../store/store.ts";
import type { AgentShared, OpenJob } from "./agent-shared.ts";
import { type WorkLimit, budgetSpent, turnBudget, workLimit } from "./budget/turn-budget.ts";
import { type TurnSpend, turnSpend, withUncounted } from "./budget/turn-spend.ts";
import { type Progress, commitEnd, noting, startProgress } from "./commit.ts";
import { failedChoice } from "./failed-choice.ts";
import { failure, followRuntime } from "./follow-runtime.ts";
import { combinedEnd, handOverNotice, handedOverTurn, reasonToHandOver } from "./hand-over.ts";
import type { AgentDeps } from "./index.ts";
import { arrivedText } from "./news.ts";
import { compactPort, shortenFirst, startAnnouncer } from "./opening.ts";
import { closeOpenCalls } from "./recovery/open-calls.ts";
import { closeLater } from "./recovery/unkept-end.ts";
import { settleUnsure } from "./recovery/sent-words.ts";
import { recordRunning, runningIn, stillRunningNotice } from "./recovery/still-running.ts";
import { turnInput } from "./turn-input.ts";
import { noTools } from "./chosen-runtime.ts";
import { turnPorts } from "./turn-ports.ts";

/** Runs an opened turn to its one end. Items are committed before they are shown. `news`: told with it. Never rejects. */
export async function runTurn(
  shared: AgentShared,
  opened: OpenJob,
  news: readonly NoticeEvent[],
): Promise<EndedEnvelope> {
  const { deps } = shared;
  const progress = startProgress();
  const job = Object.assign(opened, { say: noting(opened.say, progress) });
  const halt = new AbortController();
  const work = workLimit(deps.turnBudgetMs, job.choices.budget);
  using budget = turnBudget(deps.clock, work.ms);
  const spend = turnSpend(deps, job);
  const stop = job.stop.signal;
  const signal = AbortSignal.any([stop, job.held.lost, halt.signal, budget.signal, spend.signal]);
  const asking: AgentDeps["asking"] = (turn) => budget.pausing(deps.asking(turn));
  const leg = { progress, spend, signal, start: startAnnouncer(shared, job, news) };
  try {
    const refusal = await spend.refusal();
    if (refusal !== undefined) return await endTurn(shared, job, leg, failure(refusal, progress));
    const followed = await follow({ ...shared, deps: { ...deps, asking } }, job, leg);
    const ended = progress.asking === true ? withUncounted(followed) : followed;
    const overspent = budget.signal.aborted && !stop.aborted && ended.outcome === "interrupted";
    return await endTurn(shared, job, leg, overspent ? outOfBudget(work, ended) : ended);
  } catch (error) {
    halt.abort(error);
    const broken = failure(toFault(error), progress);
    return await endTurn(shared, job, leg, progress.asking === true ? withUncounted(broken) : broken);
  }
}

/** What a turn has with it from its start to its end. */
type Leg = {
  readonly progress: Progress;
  readonly spend: TurnSpend;
  readonly signal: AbortSignal;
  /** Says that it has started, once. */
  readonly start: (event: StartedEvent) => void;
};

/** Follows the turn to its end. Throws only when something could not be committed, or by a bug. */
async function follow(shared: AgentShared, job: OpenJob, leg: Leg): Promise<EndedEvent> {
  const { deps, shortener } = shared;
  const { progress, spend, signal, start } = leg;
  const { lease } = job.held;
  // Not with a recording, which has to see every frame from the start.
  if (job.choices.record !== true) void job.runtime.expect?.(job.session, signal);
  const { turn, recalled } = await withRecalled(shared, job, leg);
  await using recording = job.choices.record === true ? await deps.recording(turn.id) : undefined;
  const remarks: string[] = [];
  const portsFor = async (runtime: string, found?: OpenJob["found"]): Promise<Ports> => {
    // Guests have no tools that anything would have to be made ready for.
    if (job.session.audience !== "guests") remarks.push(...((await deps.ready?.(runtime, signal)) ?? []));
    return {
      ...(await turnPorts(deps, turn, lease, askerOf(job, runtime), signal, found)),
      ...(job.choices.tools === false ? { tools: noTools } : {}),
      ...compactPort(shortener, job, signal),
      ...(recording === undefined ? {} : { record: recording.record }),
    };
  };
  const ports = await portsFor(job.turn.runtime, job.found);
  let described = Promise.resolve();
  const ended = await followRuntime(deps, job, turn, ports, progress, spend.note, async (event) => {
    spend.started(event.model);
    const { side } = event;
    const known = side === undefined ? {} : { side };
    described = deps.store.turns.describe(lease, turn.id, { model: event.model, ...known });
    // The runtime's side has to be known before anything happens on it; a model's name can be written while it is asked.
    if (side !== undefined) await described;
    described.catch(() => {}); // told below
    start(event);
    tellOnce(job, remarks);
    for (const text of recalled) job.say({ type: "notice", code: "memory", text });
    if (recording !== undefined)
      job.say({ type: "notice", code: "recording", text: `Recording to ${recording.file}` });
  });
  await described;
  const why = reasonToHandOver(ended);
  const { standIn } = deps;
  if (standIn === undefined || why === undefined || standIn.name === job.runtime.name || signal.aborted)
    return ended;
  const rest = handedOverTurn(turn, await rowsOf(deps, turn), job.turn.runtime, why);
  const { side } = ended;
  await job.runtime.leave?.(side === undefined ? rest : { ...rest, side }, ports);
  job.runtime = standIn;
  const all: TurnSpend["note"] = (usage) => spend.note(addUsage(ended.usage, usage));
  const theirs = await portsFor(standIn.name);
  const finished = await followRuntime(deps, job, rest, theirs, progress, all, async ({ runtime, model }) => {
    job.say(handOverNotice(why, runtime, model));
    tellOnce(job, remarks);
  });
  return combinedEnd(ended, finished, why);
}

/** What is known elsewhere is asked for while the rest is made ready. */
async function withRecalled(
  shared: AgentShared,
  job: OpenJob,
  { start, signal }: Leg,
): Promise<{ readonly turn: Turn; readonly recalled: readonly string[] }> {
  const { deps } = shared;
  const { session, input, choices, found } = job;
  const shortened = shortenFirst(shared, job, start, signal);
  const [made, known = { context: [], remarks: [] }] = await Promise.all([
    shortened.then((given) => turnInput(deps, job, input.input, choices, given)),
    deps.recall?.(session, input.input, choices, signal),
  ]);
  const context = [...made.context, ...known.context];
  const more = {
    ...(isUnattended(shared, job) ? { unattended: true as const } : {}),
    ...(found?.previous === undefined ? {} : { previous: found.previous }),
  };
  return { turn: { ...made, context, ...more }, recalled: known.remarks };
}

/**
 * Nobody can be asked, neither here nor in the turn that waits for a task that it handed on; or it is for somebody whose
 * terminal this is not, and who is to see neither its variables nor keys.
 */
function isUnattended({ jobs }: AgentShared, { session, input: { from }, attended }: OpenJob): boolean {
  const { parent, audience } = session;
  if (!from.local || rightsOf(from, audience) !== "owner") return true;
  const [waiting] = parent === undefined ? [] : (jobs.get(parent) ?? []);
  return attended === "none" && (waiting?.attended ?? "none") === "none";
}

/** What there is to say about the tools of a turn. */
function tellOnce(job: OpenJob, remarks: string[]): void {
  for (const text of remarks.splice(0)) job.say({ type: "notice", code: "tools", text });
}

/** What is kept of the turn so far. */
async function rowsOf({ store }: AgentDeps, { id, session }: Turn): Promise<readonly Message[]> {
  const rows = await store.sessions.messages(session, { from: id });
  return rows.filter(({ turn }) => turn === id).map(({ message }) => message);
}

const outOfBudget = (work: WorkLimit, ended: EndedEvent): EndedEvent => ({
  ...ended,
  outcome: "failed",
  fault: budgetSpent(work),
});

const askerOf = (
  { input, session, attended, say }: OpenJob,
  runtime: string,
): Parameters<typeof turnPorts>[3] => ({
  runtime,
  surface: input.key.surface,
  from: input.from,
  audience: session.audience,
  attended,
  say,
});

async function endTurn(
  shared: AgentShared,
  job: OpenJob,
  { spend, progress }: Leg,
  raw: EndedEvent,
): Promise<EndedEnvelope> {
  const { deps, leases } = shared;
  const settled = withStopFault(job, spend.settled(raw, job.stop.signal.aborted));
  const { ended, reverted: unchosen = {} } = failedChoice(settled, job.choices, job.before) ?? {
    ended: settled,
  };
  try {
    const { held, turn, input } = job;
    const usage = spend.rows(ended);
    job.isSettled = true;
    for (const row of await settleUnsure(shared, job))
      job.say({ type: "notice", code: "steer_arrived", text: arrivedText(row) });
    await deps.endTurnWork?.(turn.id);
    if (progress.began === true || ended.outcome !== "done") {
      // A runtime that was left behind, or lost count, may have left a call behind.
      for (const item of await closeOpenCalls(deps, held.lease, turn.id, progress))
        job.say({ type: "item", item });
    }
    const running = runningIn(deps, turn.session);
    // Before the end is kept, so that it is in the event log with it.
    if (running.length > 0) job.say(stillRunningNotice(running));
    job.holdsLease = false;
    await leases.release(turn.session, (release) => {
      const { notices } = progress;
      const also = { tell: false, release, usage, unchosen, notices };
      return commitEnd(deps, held.lease, turn.id, ended, input, also);
    });
    await recordRunning(deps, turn.session, job.found?.hasUntold);
    return job.say(running.length === 0 ? ended : { ...ended, running });
  } catch (error) {
    // The turn stays open in the store until that can be written, or for whoever took the session over. Here it has ended.
    if (!(error instanceof StaleLeaseError)) void closeLater(shared, job.turn, toFault(error));
    const { text, calls } = ended;
    return job.say({ type: "ended", outcome: "failed", fault: toFault(error), text, calls });
  }
}

/** Why it was stopped, where that was nobody's wish. */
export const stopFault = ({ stop: { signal } }: Pick<OpenJob, "stop">): Fault | undefined =>
  signal.reason instanceof FaultError ? signal.reason.fault : undefined;

function withStopFault(job: OpenJob, ended: EndedEvent): EndedEvent {
  const fault = ended.outcome === "interrupted" ? stopFault(job) : undefined;
  return fault === undefined ? ended : { ...ended, outcome: "failed", fault };
}

export function toFault(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  if (error instanceof StaleLeaseError) return lostToAnother;
  return bugFault(error);
}

const lostToAnother: Fault = {
  code: "lost",
  message: "Another process took this session over, so nothing more of this turn was kept here.",
  next: "Look at the session with `talaria sessions show`, and send the message again if its answer is missing.",
};
