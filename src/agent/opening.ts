import type { StartedEvent } from "../core/events.ts";
import type { Ports } from "../runtimes/runtime.ts";
import type { Store } from "../store/store.ts";
import type { CompactTarget } from "./compaction/compact.ts";
import { type SessionHistory, loadSessionHistory } from "./session-history.ts";
import type { TurnJob } from "./run-turn.ts";

/** Says `started` first and once, then what else there is to tell the person with this turn. */
export function startAnnouncer(job: TurnJob): (event: StartedEvent) => void {
  let said = false;
  return (event) => {
    if (said) return;
    said = true;
    job.say(event);
    for (const notice of job.news) job.say(notice);
  };
}

/**
 * The conversation before the turn, shortened first if it has become too long. A runtime that keeps the
 * conversation itself also shortens it itself.
 */
export async function shortenFirst(
  job: TurnJob,
  store: Store,
  start: (event: StartedEvent) => void,
  signal: AbortSignal,
): Promise<SessionHistory> {
  const past = await loadSessionHistory(store, job.session.id);
  if (job.shortener === undefined || job.runtime.compact !== undefined) return past;
  const { runtime, cwd } = job.turn;
  const begin = (model: string): void => {
    start({ type: "started", runtime, model: job.session.model ?? model, cwd });
    job.say({ type: "status", state: "compacting" });
  };
  const notice = await job.shortener.before(targetOf(job), past, begin, signal);
  if (notice === undefined) return past;
  job.say(notice);
  return loadSessionHistory(store, job.session.id);
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
