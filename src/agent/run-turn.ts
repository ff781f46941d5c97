import type { EndedEnvelope, EndedEvent, NoticeEvent } from "../core/events.ts";
import { type Fault, FaultError, bugFault } from "../core/faults.ts";
import type { Attended, TurnChoices } from "../core/host.ts";
import type { Session, StoredInput, StoredTurn } from "../core/session.ts";
import type { Runtime } from "../runtimes/runtime.ts";
import { StaleLeaseError } from "../store/store.ts";
import { type Progress, commitEnd, commitItem, startProgress } from "./commit.ts";
import type { Hub } from "./hub.ts";
import type { AgentDeps } from "./index.ts";
import type { HeldLease } from "./session-lease.ts";
import { stoppable } from "./stoppable.ts";
import { budgetSpent, turnBudget } from "./turn-budget.ts";
import { turnInput } from "./turn-input.ts";
import { turnPorts } from "./turn-ports.ts";

/** An opened turn and all that belongs to running it. */
export type TurnJob = {
  readonly session: Session;
  readonly held: HeldLease;
  /** Gives the hold back with the last write of the turn. */
  readonly letGo: (last: (release: boolean) => Promise<void>) => Promise<void>;
  readonly turn: StoredTurn;
  readonly input: StoredInput;
  readonly runtime: Runtime;
  readonly choices: TurnChoices;
  readonly attended: Attended;
  readonly stop: AbortSignal;
  readonly say: ReturnType<Hub["voice"]>;
  /** Things to tell the person with this turn. */
  readonly news: readonly NoticeEvent[];
};

/** Runs an opened turn to its one end. Items are committed before they are shown. Never rejects. */
export async function runTurn(deps: AgentDeps, job: TurnJob): Promise<EndedEnvelope> {
  const progress = startProgress();
  const halt = new AbortController();
  using budget = turnBudget(deps.clock, deps.turnBudgetMs);
  const signal = AbortSignal.any([job.stop, job.held.lost, halt.signal, budget.signal]);
  const asking: AgentDeps["asking"] = (turn) => budget.pausing(deps.asking(turn));
  try {
    const ended = await follow({ ...deps, asking }, job, progress, signal);
    const overspent = budget.signal.aborted && !job.stop.aborted && ended.outcome === "interrupted";
    return await endTurn(deps, job, overspent ? outOfBudget(deps, ended) : ended);
  } catch (error) {
    halt.abort(error);
    return await endTurn(deps, job, failure(toFault(error), progress));
  }
}

/** Follows the runtime to its `ended`. Throws only when something could not be committed, or by a bug. */
async function follow(
  deps: AgentDeps,
  job: TurnJob,
  progress: Progress,
  signal: AbortSignal,
): Promise<EndedEvent> {
  const { lease } = job.held;
  const turn = await turnInput(deps, job.turn, job.session, job.input.input, job.choices);
  await using recording = job.choices.record === true ? await deps.recording(turn.id) : undefined;
  const ports = {
    ...(await turnPorts(deps, turn, lease, askerOf(job), signal)),
    ...(recording === undefined ? {} : { record: recording.record }),
  };
  let started = false;
  for await (const event of stoppable(job.runtime.run(turn, ports), signal, deps.clock)) {
    if (event.type === "ended") return event;
    if (event.type === "item") {
      const item = await commitItem(deps, lease, turn.id, event.item, progress);
      if (item !== undefined) job.say({ type: "item", item });
      continue;
    }
    if (event.type !== "started") {
      job.say(event);
      continue;
    }
    if (started) continue;
    started = true;
    const { type: _type, runtime: _runtime, cwd: _cwd, ...facts } = event;
    await deps.store.turns.describe(lease, turn.id, facts);
    job.say(event);
    for (const notice of job.news) job.say(notice);
    if (recording !== undefined)
      job.say({ type: "notice", code: "recording", text: `Recording to ${recording.file}` });
  }
  if (!signal.aborted) return failure(noEnd(job.turn.runtime), progress);
  return { type: "ended", outcome: "interrupted", text: progress.text, calls: progress.calls };
}

const outOfBudget = ({ turnBudgetMs = 0 }: AgentDeps, ended: EndedEvent): EndedEvent => ({
  ...ended,
  outcome: "failed",
  fault: budgetSpent(turnBudgetMs),
});

const askerOf = ({ turn, input, attended, say }: TurnJob): Parameters<typeof turnPorts>[3] => ({
  runtime: turn.runtime,
  surface: input.key.surface,
  attended,
  say,
});

async function endTurn(deps: AgentDeps, job: TurnJob, ended: EndedEvent): Promise<EndedEnvelope> {
  try {
    const { held, turn, input } = job;
    await job.letGo((release) =>
      commitEnd(deps, held.lease, turn.id, ended, input, { tell: false, release }),
    );
    return job.say(ended);
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
  if (error instanceof StaleLeaseError) return takenOver;
  return bugFault(error);
}

const takenOver: Fault = {
  code: "lost",
  message: "Another process took this session over, so nothing more of this turn was kept here.",
  next: "Look at the session with `talaria sessions show`, and send the message again if its answer is missing.",
};

const noEnd = (runtime: string): Fault => ({
  code: "protocol",
  message: `The ${runtime} runtime stopped without saying how the turn ended.`,
  next: "What was finished is kept; send the message again.",
});
