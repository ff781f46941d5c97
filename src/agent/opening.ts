import type { StartedEvent } from "../core/events.ts";
import type { Ports } from "../runtimes/runtime.ts";
import type { CompactTarget } from "./compact.ts";
import type { TurnJob } from "./run-turn.ts";

/** Says `started` first and once, then what else there is to tell the person with this turn. */
export function opening(job: TurnJob): (event: StartedEvent) => void {
  let said = false;
  return (event) => {
    if (said) return;
    said = true;
    job.say(event);
    for (const notice of job.news) job.say(notice);
  };
}

/** A conversation that has become too long is shortened first. A runtime that keeps it itself sees to that itself. */
export async function shortenFirst(
  job: TurnJob,
  start: (event: StartedEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  if (job.shortener === undefined || job.runtime.compact !== undefined) return;
  const { runtime, cwd } = job.turn;
  const begin = (model: string): void => {
    start({ type: "started", runtime, model: job.session.model ?? model, cwd });
    job.say({ type: "status", state: "compacting" });
  };
  const notice = await job.shortener.before(targetOf(job), begin, signal);
  if (notice !== undefined) job.say(notice);
}

/** For a model that cannot read all of it. */
export function compactPort(job: TurnJob, signal: AbortSignal): Pick<Ports, "compact"> {
  const { shortener } = job;
  if (shortener === undefined) return {};
  return { compact: () => shortener.overflow(targetOf(job), job.say, signal) };
}

const targetOf = ({ session, held, turn }: TurnJob): CompactTarget => ({
  session,
  lease: held.lease,
  runtime: turn.runtime,
});
