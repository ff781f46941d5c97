import { userMessage } from "./items.ts";
import type { Step } from "./script.ts";
import {
  completeItem,
  keep,
  type LiveThread,
  resolved,
  type Server,
  setStatus,
  type Stage,
  startItem,
} from "./stage.ts";
import { playStep, showUsage, type StepEnd } from "./steps.ts";
import { type Turn, turnJson } from "./thread-log.ts";

/** What a client said, on starting a turn or in the middle of it. An old codex has no `clientId`. */
export type Said = { readonly input: readonly unknown[]; readonly clientId: string | null | undefined };

/** A turn that runs. */
export type ActiveTurn = {
  readonly turn: Turn;
  steer(said: Said): void;
  /** `respond` is called when all has come to rest, before the end of the turn is told. */
  interrupt(respond: () => Promise<void>): void;
  /** Resolves when the end was told. */
  readonly over: Promise<void>;
};

export type TurnOptions = {
  readonly live: LiveThread;
  readonly said: Said;
  readonly steps: readonly Step[];
  /** What the script has for words that steer the turn. Undefined: nothing, so it goes on as before. */
  readonly stepsFor: (words: string) => readonly Step[] | undefined;
  readonly respond: (turn: object) => Promise<void>;
  /** The thread is free for another turn, though the end of this one is yet to be told. */
  readonly onRest: () => void;
};

export function startTurn(server: Server, options: TurnOptions): ActiveTurn {
  const { live, said } = options;
  const id = server.ids.uuid();
  keep(server, live, { kind: "turn", turn: id, at: server.clock.now() });
  const turn = live.thread.turns.at(-1) as Turn;
  const stopping = new AbortController();
  const replies = live.stale?.replies ?? [];
  live.stale = undefined;
  const waiting: Said[] = [];
  let nudge = Promise.withResolvers<void>();
  const stage: Stage = {
    ...server,
    live,
    turn,
    stop: stopping.signal,
    steered: () => nudge.promise,
    unanswered: [],
    diff: "",
  };
  const nextSaid = (): Said | undefined => {
    const next = waiting.shift();
    if (waiting.length === 0) nudge = Promise.withResolvers();
    return next;
  };

  async function run(): Promise<void> {
    await options.respond(turnJson(turn, "notLoaded", true));
    await setStatus(stage, live, { type: "active", activeFlags: [] });
    await stage.notify("turn/started", { threadId: live.thread.meta.id, turn: turnJson(turn, "notLoaded") });
    await showSaid(stage, said);
    const end = await playAll(stage, options, nextSaid);
    await finish(stage, end, replies);
  }

  return {
    turn,
    over: run(),
    steer(more) {
      waiting.push(more);
      nudge.resolve();
    },
    interrupt(respond) {
      replies.push(respond);
      stopping.abort();
    },
  };
}

type End = { readonly status: "completed" | "interrupted" | "failed"; readonly error: unknown };

const interrupted: End = { status: "interrupted", error: null };

/** Calls `onRest` in the same tick as it decides, so that words which come a moment later start a turn of their own. */
async function playAll(stage: Stage, options: TurnOptions, nextSaid: () => Said | undefined): Promise<End> {
  let queue = [...options.steps];
  const rest = (end: End): End => {
    options.onRest();
    return end;
  };
  /** A model response is under way that has not told its usage. */
  let open = true;
  let last: StepEnd["kind"] = "idle";
  for (;;) {
    if (stage.stop.aborted) return rest(interrupted);
    for (let said = nextSaid(); said !== undefined; said = nextSaid()) {
      await showSaid(stage, said);
      queue = [...(options.stepsFor(wordsOf(said)) ?? queue)];
      open = true;
    }
    const step = queue.shift();
    if (step === undefined && !open) return rest({ status: "completed", error: null });
    const end: StepEnd = step === undefined ? { kind: "usage" } : await playStep(stage, step);
    if (end.kind === "failed") return rest({ status: "failed", error: end.error });
    if (end.kind === "stopped") return rest(interrupted);
    if (step === undefined) await showUsage(stage);
    const usageFollows = queue[0] !== undefined && "usage" in queue[0];
    if (end.kind === "tool" && (end.end !== "done" || !usageFollows)) await showUsage(stage);
    if (end.kind === "tool" && end.end !== "done") return rest(interrupted);
    if (end.kind === "usage") open = last === "tool" && step !== undefined;
    if (end.kind === "words" || end.kind === "tool") open = true;
    last = end.kind;
  }
}

async function finish(stage: Stage, end: End, replies: readonly (() => Promise<void>)[]): Promise<void> {
  const { live, turn } = stage;
  const threadId = live.thread.meta.id;
  keep(stage, live, { kind: "end", turn: turn.id, ...end, at: stage.clock.now() });
  if (stage.stop.aborted) live.stale = { turn: turn.id, replies: [] };
  for (const reply of replies) await reply();
  if (end.status === "completed")
    await stage.notify("thread/readState/changed", {
      threadId,
      readState: { firstUnread: { type: "turn", turnId: turn.id }, revision: stage.ids.uuid() },
    });
  if (end.status !== "failed") await setStatus(stage, live, { type: "idle" });
  const view =
    end.status === "completed" && turn.items.some(({ type }) => type === "agentMessage")
      ? "summary"
      : "notLoaded";
  await stage.notify("turn/completed", { threadId, turn: turnJson(turn, view) });
  for (const id of stage.unanswered) await resolved(stage, id);
}

async function showSaid(stage: Stage, { input, clientId }: Said): Promise<void> {
  if (input.length === 0) return;
  const item = userMessage(stage.ids.uuid(), input, clientId);
  await completeItem(stage, item, await startItem(stage, item));
}

export const wordsOf = ({ input }: Said): string =>
  input
    .map((part) => (part as { readonly text?: unknown }).text)
    .filter((text) => typeof text === "string")
    .join("\n");
