import type { EndedEnvelope, EndedEvent, NoticeEvent, StartedEvent, TurnEvent } from "../core/events.ts";
import { type Fault, FaultError, bugFault } from "../core/faults.ts";
import type { Attended, TurnChoices } from "../core/host.ts";
import type { Message } from "../core/messages.ts";
import type { Session, StoredInput, StoredTurn } from "../core/session.ts";
import { addUsage } from "../core/spend.ts";
import type { Ports, Runtime, Turn } from "../runtimes/runtime.ts";
import { StaleLeaseError } from "../store/store.ts";
import { type Progress, commitEnd, commitItem, startProgress } from "./commit.ts";
import { handOverNotice, combinedEnd, reasonToHandOver, handedOverTurn } from "./hand-over.ts";
import { type PreviousChoices, failedChoice } from "./failed-choice.ts";
import type { Hub } from "./hub.ts";
import type { AgentDeps } from "./index.ts";
import { closeOpenCalls } from "./recovery/open-calls.ts";
import { maskedDeltas } from "./masked-deltas.ts";
import { compactPort, startAnnouncer, shortenFirst } from "./opening.ts";
import type { HeldLease } from "./session-lease.ts";
import type { Shortener } from "./compaction/shortener.ts";
import { recordRunning, stillRunningNotice } from "./recovery/still-running.ts";
import { stoppable } from "./stoppable.ts";
import { type WorkLimit, budgetSpent, turnBudget, workLimit } from "./budget/turn-budget.ts";
import { turnInput } from "./turn-input.ts";
import { turnPorts } from "./turn-ports.ts";
import { type TurnSpend, isCut, turnSpend } from "./budget/turn-spend.ts";

/** An opened turn and all that belongs to running it. */
export type TurnJob = {
  readonly session: Session;
  /** What the session had before the choices of this turn. */
  readonly before: PreviousChoices;
  readonly held: HeldLease;
  /** Gives the hold back with the last write of the turn. */
  readonly releaseLease: (last: (release: boolean) => Promise<void>) => Promise<void>;
  readonly turn: StoredTurn;
  readonly input: StoredInput;
  readonly runtime: Runtime;
  readonly choices: TurnChoices;
  readonly attended: Attended;
  /** Nobody can be asked, neither here nor where a delegated task was handed on. */
  readonly unattended: boolean;
  readonly stop: AbortSignal;
  readonly say: ReturnType<Hub["publisher"]>;
  /** Things to tell the person with this turn. */
  readonly news: readonly NoticeEvent[];
  readonly shortener: Shortener | undefined;
  /** Another runtime has the turn from now on, and is the one to steer. */
  readonly handOverTo: (runtime: Runtime) => void;
};

/** Runs an opened turn to its one end. Items are committed before they are shown. Never rejects. */
export async function runTurn(deps: AgentDeps, job: TurnJob): Promise<EndedEnvelope> {
  const progress = startProgress();
  const halt = new AbortController();
  const work = workLimit(deps.turnBudgetMs, job.choices.budget);
  using budget = turnBudget(deps.clock, work.ms);
  const spend = turnSpend(deps, job);
  const signal = AbortSignal.any([job.stop, job.held.lost, halt.signal, budget.signal, spend.signal]);
  const asking: AgentDeps["asking"] = (turn) => budget.pausing(deps.asking(turn));
  try {
    const refusal = await spend.refusal();
    if (refusal !== undefined) return await endTurn(deps, job, spend, progress, failure(refusal, progress));
    const ended = await follow({ ...deps, asking }, job, progress, spend, signal);
    const overspent = budget.signal.aborted && !job.stop.aborted && ended.outcome === "interrupted";
    return await endTurn(deps, job, spend, progress, overspent ? outOfBudget(work, ended) : ended);
  } catch (error) {
    halt.abort(error);
    return await endTurn(deps, job, spend, progress, failure(toFault(error), progress));
  }
}

/** Follows the turn to its end. Throws only when something could not be committed, or by a bug. */
async function follow(
  deps: AgentDeps,
  job: TurnJob,
  progress: Progress,
  spend: TurnSpend,
  signal: AbortSignal,
): Promise<EndedEvent> {
  const { lease } = job.held;
  // Not with a recording, which has to see every frame from the start.
  if (job.choices.record !== true) void job.runtime.expect?.(job.session, signal);
  const start = startAnnouncer(job);
  const past = shortenFirst(job, deps.store, start, signal);
  const { turn, recalled } = await withRecalled(deps, job, signal, past);
  await using recording = job.choices.record === true ? await deps.recording(turn.id) : undefined;
  const remarks: string[] = [];
  const portsFor = async (runtime: string): Promise<Ports> => {
    remarks.push(...((await deps.ready?.(runtime, signal)) ?? []));
    return {
      ...(await turnPorts(deps, turn, lease, askerOf(job, runtime), signal)),
      ...compactPort(job, signal),
      ...(recording === undefined ? {} : { record: recording.record }),
    };
  };
  const ports = await portsFor(job.turn.runtime);
  const first: Leg = { runtime: job.runtime, turn, ports, progress, spend: spend.note };
  let described = Promise.resolve();
  const ended = await followRuntime(deps, job, first, async (event) => {
    spend.started(event.model);
    const { type: _type, runtime: _runtime, cwd: _cwd, ...facts } = event;
    described = deps.store.turns.describe(lease, turn.id, facts);
    // A thread has to be known before anything happens in it; the name of a model can be written while it is asked.
    if (facts.thread !== undefined) await described;
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
  await job.runtime.leave?.(rest, ports);
  job.handOverTo(standIn);
  const all: Leg["spend"] = (usage) => spend.note(addUsage(ended.usage, usage));
  const theirs = await portsFor(standIn.name);
  const second: Leg = { runtime: standIn, turn: rest, ports: theirs, progress, spend: all };
  const finished = await followRuntime(deps, job, second, async ({ runtime, model }) => {
    job.say(handOverNotice(why, runtime, model));
    tellOnce(job, remarks);
  });
  return combinedEnd(ended, finished, why);
}

/** What is known elsewhere is asked for while the rest is made ready. */
async function withRecalled(
  deps: AgentDeps,
  { session, turn, input, choices, unattended }: TurnJob,
  signal: AbortSignal,
  past: Parameters<typeof turnInput>[5],
): Promise<{ readonly turn: Turn; readonly recalled: readonly string[] }> {
  const [made, known = { context: [], remarks: [] }] = await Promise.all([
    turnInput(deps, turn, session, input.input, choices, past),
    deps.recall?.(session, input.input, choices, signal),
  ]);
  const context = [...made.context, ...known.context];
  return { turn: { ...made, context, ...(unattended ? { unattended } : {}) }, recalled: known.remarks };
}

/** What there is to say about the tools of a turn. */
function tellOnce(job: TurnJob, remarks: string[]): void {
  for (const text of remarks.splice(0)) job.say({ type: "notice", code: "tools", text });
}

/** What a runtime runs: a whole turn, or the rest of one. */
type Leg = {
  readonly runtime: Runtime;
  readonly turn: Turn;
  readonly ports: Ports;
  readonly progress: Progress;
  readonly spend: TurnSpend["note"];
};

/** Follows a runtime to its `ended`. */
async function followRuntime(
  deps: AgentDeps,
  job: TurnJob,
  { runtime, turn, ports, progress, spend }: Leg,
  onStarted: (event: StartedEvent) => Promise<void>,
): Promise<EndedEvent> {
  const { signal } = ports;
  let started = false;
  const live = maskedDeltas(deps.redact);
  for await (const event of stoppable(runtime.run(turn, ports), signal, deps.clock)) {
    if (event.type === "ended") return event;
    if (event.type === "item") {
      const item = await commitItem(deps, job.held.lease, turn.id, event.item, progress);
      for (const rest of live.end(event.item.id)) job.say(rest);
      if (item !== undefined) job.say({ type: "item", item });
      continue;
    }
    if (event.type === "usage") {
      const { type: _type, ...used } = event;
      const { usage, notice } = await spend(used);
      progress.usage = usage;
      progress.asking = false;
      job.say({ type: "usage", ...usage });
      if (notice !== undefined) job.say(notice);
      continue;
    }
    if (event.type !== "started") {
      if (event.type === "begin" && event.item.kind === "call") progress.began = true;
      if (event.type === "status") await noteStatus(deps, job, event.state, progress);
      for (const shown of event.type === "delta" ? live.add(event) : [event]) job.say(shown);
      continue;
    }
    if (!started) await onStarted(event);
    started = true;
  }
  if (!signal.aborted) return failure(noEnd(runtime.name), progress);
  return { type: "ended", outcome: "interrupted", text: progress.text, calls: progress.calls };
}

/** A tool may run for long: should we be killed meanwhile, what was used before it is known. */
async function noteStatus(
  { store }: AgentDeps,
  { held, turn }: TurnJob,
  state: Extract<TurnEvent, { type: "status" }>["state"],
  progress: Progress,
): Promise<void> {
  progress.asking = state === "thinking" || state === "compacting";
  const { usage } = progress;
  if (state !== "tool" || usage === undefined) return;
  delete progress.usage;
  await store.turns.describe(held.lease, turn.id, { usage });
}

/** What is kept of the turn so far. */
async function rowsOf({ store }: AgentDeps, { id, session }: Turn): Promise<readonly Message[]> {
  const rows = await store.sessions.messages(session);
  return rows.filter(({ turn }) => turn === id).map(({ message }) => message);
}

const outOfBudget = (work: WorkLimit, ended: EndedEvent): EndedEvent => ({
  ...ended,
  outcome: "failed",
  fault: budgetSpent(work),
});

const askerOf = ({ input, attended, say }: TurnJob, runtime: string): Parameters<typeof turnPorts>[3] => ({
  runtime,
  surface: input.key.surface,
  attended,
  say,
});

async function endTurn(
  deps: AgentDeps,
  job: TurnJob,
  spend: TurnSpend,
  progress: Progress,
  raw: EndedEvent,
): Promise<EndedEnvelope> {
  const settled = spend.settled(raw, job.stop.aborted);
  const { ended, reverted: unchosen = {} } = failedChoice(settled, job.choices, job.before) ?? {
    ended: settled,
  };
  try {
    const { held, turn, input } = job;
    const usage = spend.rows(ended, progress.asking === true && isCut(ended));
    await deps.endTurnWork?.(turn.id);
    if (progress.began === true || ended.outcome !== "done") {
      // A runtime that was left behind, or lost count, may have left a call behind.
      for (const item of await closeOpenCalls(deps, held.lease, turn.id, progress))
        job.say({ type: "item", item });
    }
    await job.releaseLease((release) =>
      commitEnd(deps, held.lease, turn.id, ended, input, { tell: false, release, usage, unchosen }),
    );
    const running = await recordRunning(deps, turn.session);
    if (running.length === 0) return job.say(ended);
    job.say(stillRunningNotice(running));
    return job.say({ ...ended, running });
  } catch (error) {
    // The turn stays open in the store; whoever holds the session next closes it. Here it has ended.
    const { text, calls } = ended;
    return job.say({ type: "ended", outcome: "failed", fault: toFault(error), text, calls });
  }
}

const failure = (fault: Fault, progress: Progress): EndedEvent => ({
  type: "ended",
  outcome: "failed",
  fault,
  text: progress.text,
  calls: progress.calls,
});

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

const noEnd = (runtime: string): Fault => ({
  code: "protocol",
  message: `The ${runtime} runtime stopped without saying how the turn ended.`,
  next: "What was finished is kept; send the message again.",
});
