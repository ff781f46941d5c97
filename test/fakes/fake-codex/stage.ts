import type { Clock } from "../../../src/lib/clock.ts";
import type { HomeSession } from "./home.ts";
import type { Ids } from "./ids.ts";
import {
  applyRecord,
  type Item,
  type Thread,
  type ThreadRecord,
  type ThreadStatus,
  type Turn,
} from "./thread-log.ts";
import type { Answer, Wire } from "./wire.ts";

/** A thread that a process has loaded. */
export type LiveThread = {
  readonly thread: Thread;
  status: ThreadStatus;
  /** What the user allowed for the session. */
  readonly grants: Set<string>;
  /** The last turn, if it was interrupted: codex half believes that it still runs. */
  stale: { readonly turn: string; readonly replies: (() => Promise<void>)[] } | undefined;
  /** Commands that outlived their turn, or will. */
  readonly background: Map<string, { readonly turn: Turn; readonly item: Item; readonly output: string }>;
};

/** What all parts of a running app-server share. */
export type Server = {
  readonly wire: Wire;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly home: HomeSession;
  /** Sends a notification, unless the client does not want it. */
  notify(method: string, params: object): Promise<void>;
};

/** A turn on stage: where its steps are played. */
export type Stage = Server & {
  readonly live: LiveThread;
  readonly turn: Turn;
  /** Aborts when the turn is interrupted. */
  readonly stop: AbortSignal;
  /** Resolves when words came that steer the turn. */
  readonly steered: () => Promise<void>;
  /** Requests that nobody had answered when the turn was interrupted. */
  readonly unanswered: number[];
  /** All changes of this turn, as one diff. */
  diff: string;
};

/** Remembers on the disk before anybody hears of it. */
export function keep(server: Server, live: LiveThread, record: ThreadRecord): void {
  const { thread } = live;
  applyRecord(thread, record);
  if (thread.meta.ephemeral) return;
  const { id } = thread.meta;
  if (!thread.stored) server.home.append(id, { kind: "thread", meta: thread.meta });
  thread.stored = true;
  server.home.append(id, record);
}

export async function setStatus(server: Server, live: LiveThread, status: ThreadStatus): Promise<void> {
  live.status = status;
  await server.notify("thread/status/changed", { threadId: live.thread.meta.id, status });
}

export const threadAndTurn = ({
  live,
  turn,
}: Stage): { readonly threadId: string; readonly turnId: string } => ({
  threadId: live.thread.meta.id,
  turnId: turn.id,
});

/** Says that an item has begun; what it gives back says how it ended. */
export async function startItem(stage: Stage, item: Item): Promise<number> {
  const startedAtMs = stage.clock.now();
  await announce(stage, item, startedAtMs);
  return startedAtMs;
}

export const announce = (stage: Stage, item: Item, startedAtMs: number): Promise<void> =>
  stage.notify("item/started", {
    item: { ...item, startedAtMs, completedAtMs: null },
    ...threadAndTurn(stage),
    startedAtMs,
  });

export async function completeItem(stage: Stage, item: Item, startedAtMs: number): Promise<void> {
  await completeIn(stage, stage.live, stage.turn, item, startedAtMs);
}

export async function completeIn(
  server: Server,
  live: LiveThread,
  turn: Turn,
  item: Item,
  startedAtMs: number,
): Promise<void> {
  const completedAtMs = server.clock.now();
  const whole = { ...item, startedAtMs, completedAtMs };
  keep(server, live, { kind: "item", turn: turn.id, item: whole });
  const place = { threadId: live.thread.meta.id, turnId: turn.id };
  await server.notify("item/completed", { item: whole, ...place, completedAtMs });
}

/** Waits for whichever comes first; `undefined` if the turn was interrupted. */
export async function orStopped<T>(stage: Stage, event: Promise<T>): Promise<T | undefined> {
  if (stage.stop.aborted) return undefined;
  const stopped = Promise.withResolvers<undefined>();
  const onAbort = (): void => stopped.resolve(undefined);
  stage.stop.addEventListener("abort", onAbort, { once: true });
  return Promise.race([event, stopped.promise]).finally(() =>
    stage.stop.removeEventListener("abort", onAbort),
  );
}

export type Question = {
  readonly method: string;
  readonly params: object;
  readonly flag?: "waitingOnApproval" | "waitingOnUserInput";
  /** The item it is about, announced before the question unless a fault says otherwise. */
  readonly announce?: () => Promise<void>;
  /** Codex tells about the waiting before it tells about a command, but after it tells about a patch. */
  readonly statusFirst?: boolean;
};

/** Puts a question to the client and waits. The caller says that the waiting is over: when differs by what was asked. */
export async function ask(stage: Stage, question: Question): Promise<Answer | undefined> {
  const { method, params, flag = "waitingOnApproval", announce: tell = async () => {} } = question;
  const faults = stage.wire.coming(method);
  const early = faults.includes("earlyApproval");
  const silent = faults.includes("noApprovalItem");
  const waiting = { type: "active", activeFlags: [flag] } as const;
  if (question.statusFirst) await setStatus(stage, stage.live, waiting);
  if (!early && !silent) await tell();
  if (!question.statusFirst) await setStatus(stage, stage.live, waiting);
  const { id, sent, answer } = stage.wire.ask(method, { ...threadAndTurn(stage), ...params });
  await sent;
  if (early) await tell();
  const heard = faults.includes("resolveEarly") ? declined : await orStopped(stage, answer);
  if (heard === undefined) stage.unanswered.push(id);
  if (heard !== undefined) await resolved(stage, id);
  return heard;
}

const declined: Answer = { result: { decision: "decline", action: "decline" } };

export const resolved = (stage: Stage, requestId: number): Promise<void> =>
  stage.notify("serverRequest/resolved", { threadId: stage.live.thread.meta.id, requestId });

export const waitingOver = (stage: Stage): Promise<void> =>
  setStatus(stage, stage.live, { type: "active", activeFlags: [] });
