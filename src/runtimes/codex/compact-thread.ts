import type { Fault } from "../../core/faults.ts";
import type { Ports, CompactionResult, Turn } from "../runtime.ts";
import type { AppServer } from "./process/app-server.ts";
import { followTurn } from "./follow-turn.ts";
import { AppServerGone } from "./process/gone.ts";
import type { LiveTurn } from "./live-turn.ts";
import { type Offer, hostNamespace, offered } from "./thread-settings/offered-tools.ts";
import type { CodexPlan } from "./plan.ts";
import type { AppServerPool } from "./process/pool.ts";
import { readBinding } from "./thread/seed.ts";
import { recordedUsage, withRecorded } from "./thread/recorded-usage.ts";
import { totalBefore } from "./thread/thread-total.ts";
import { type OpenThread, openThread } from "./thread/thread.ts";
import type { ThreadFeed } from "./connection/thread-feed.ts";
import { beginTurn } from "./items/turn-machine.ts";
import { watchedThread } from "./watch/watched-thread.ts";
import type { ThreadWatches } from "./watch/thread-watches.ts";
import { fieldsOf } from "./wire/fields.ts";
import { readTurn } from "./wire/turn.ts";

const startMs = 15_000;

type Deps = {
  readonly pool: AppServerPool;
  readonly plan: (turn: Turn, signal: AbortSignal) => Promise<CodexPlan | Fault>;
  readonly offer: Offer;
  readonly watched: ThreadWatches;
};

/** Lets codex shorten the session's thread. What is kept here of the session stays as it is. */
export async function compactThread(deps: Deps, turn: Turn, ports: Ports): Promise<CompactionResult> {
  const bound = readBinding(await ports.binding.load());
  if (bound === undefined)
    return { notNeeded: "Codex has no thread of this session yet. Nothing was changed." };
  const plan = await deps.plan(turn, ports.signal);
  if ("code" in plan) return plan;
  await deps.watched.ready(turn.session);
  using lease = await deps.pool.lease(plan.launch, ports.signal);
  const { server } = lease;
  const tools = offered(ports.tools, deps.offer);
  const thread = await openThread(server, turn, ports, plan, tools);
  // A new one was told everything, and has had no turn of its own.
  if (thread.id !== bound.thread) await ports.binding.save({ ...thread.binding, told: thread.binding.at });
  using watched = await watchedThread(deps.watched.of(server, thread, turn, ports), () =>
    totalBefore(server, thread),
  );
  const { feed, left, prepared: before } = watched;
  const turnId = await startCompaction(server, thread, feed, ports);
  const state = beginTurn({ threadId: thread.id, turnId, cwd: turn.cwd, hostNamespace, ...before });
  const out = { push() {} }; // nobody watches it
  const parts = { server, thread, tools, turn, ports, plan, out, state };
  const live: LiveTurn = { ...parts, declines: new Map(), left };
  const { ended, drain } = await followTurn(live, feed);
  if (drain !== undefined) deps.pool.drain(server, drain);
  const isCut = ended.outcome !== "done" && (drain === "wedged" || !server.alive);
  const { usage } = isCut ? withRecorded(ended, await recordedUsage(thread.file, turnId)) : ended;
  const spent = { model: turn.model ?? thread.model, ...(usage === undefined ? {} : { usage }) };
  return ended.outcome === "done" ? { done, spent } : { ...(ended.fault ?? unfinished), spent };
}

/** Its own turn on the thread, whose id comes with the start of it. */
async function startCompaction(
  server: AppServer,
  thread: OpenThread,
  feed: ThreadFeed,
  { signal }: Ports,
): Promise<string> {
  await server.request("thread/compact/start", { threadId: thread.id }, { signal, timeoutMs: startMs });
  for (;;) {
    const frame = await feed.next(signal);
    if (frame === undefined) throw signal.reason;
    if (frame.kind === "gone") throw new AppServerGone(frame.exit, { starting: false });
    const id = frame.kind === "notification" ? readTurn(fieldsOf(frame.params)["turn"]).id : undefined;
    if (frame.kind === "notification" && frame.method === "turn/started" && id !== undefined) return id;
  }
}

const done =
  "Codex has shortened its thread of this session; this cannot be taken back. The messages are all kept here.";

const unfinished: Fault = {
  code: "refused",
  message: "Codex did not finish shortening its thread.",
  next: "Try it again, or go on: codex shortens a thread by itself when it is full.",
};
