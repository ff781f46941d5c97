import type { NoticeEvent, StartedEvent } from "../core/events.ts";
import type { TurnId } from "../core/ids.ts";
import type { StoredInput } from "../core/session.ts";
import type { Hub } from "./hub.ts";
import type { Ports } from "../runtimes/runtime.ts";
import type { AgentShared, OpenJob } from "./agent-shared.ts";
import type { CompactTarget } from "./compaction/compact.ts";
import type { Shortener } from "./compaction/shortener.ts";
import { type SessionHistory, loadGivenHistory } from "./session-history.ts";

/** Says `started` first and once, then what else there is to tell the person with this turn. */
export function startAnnouncer(
  { events }: Pick<AgentShared, "events">,
  job: OpenJob,
  news: readonly NoticeEvent[],
): (event: StartedEvent) => void {
  let said = false;
  return (event) => {
    if (said) return;
    said = true;
    tellWords(events, job.turn.id, job.input);
    job.say(event);
    for (const notice of news) job.say(notice);
  };
}

/** What somebody has typed, for whoever else watches the session. What we ask ourselves is nobody's word. */
export function tellWords(
  events: Pick<Hub, "said">,
  turn: TurnId,
  { session, from, input, key: { surface, messageId } }: StoredInput,
  steered?: true,
): void {
  if (ours.has(surface)) return;
  const also = steered === true ? { steered } : {};
  events.said(session, turn, { type: "said", from, input, message: messageId, ...also });
}

const ours: ReadonlySet<string> = new Set(["goal", "delegate", "fork", "codex", "schedule", "card", "batch"]);

/**
 * The conversation before the turn as models are given it, shortened first if it has become too long. `undefined`: nobody has looked, because a
 * runtime that keeps the conversation itself also shortens it itself.
 */
export async function shortenFirst(
  { deps: { store }, shortener, histories }: AgentShared,
  job: OpenJob,
  start: (event: StartedEvent) => void,
  signal: AbortSignal,
): Promise<SessionHistory | undefined> {
  if (shortener === undefined || job.runtime.compact !== undefined) return undefined;
  const { runtime, cwd, id } = job.turn;
  const past = await histories.before(job.session.id, id, job.found?.events);
  const begin = (model: string): void => {
    start({ type: "started", runtime, model: job.session.model ?? model, cwd });
    job.say({ type: "status", state: "compacting" });
  };
  const notice = await shortener.before(targetOf(job), past, begin, signal);
  if (notice === undefined) return past;
  job.say(notice);
  return loadGivenHistory(store, job.session.id);
}

/** For a model that cannot read all of it. */
export function compactPort(
  shortener: Shortener | undefined,
  job: OpenJob,
  signal: AbortSignal,
): Pick<Ports, "compact"> {
  if (shortener === undefined) return {};
  return { compact: () => shortener.overflow(targetOf(job), job.say, signal) };
}

const targetOf = ({ session, held, turn }: OpenJob): CompactTarget => ({
  session,
  lease: held.lease,
  runtime: turn.runtime,
});
