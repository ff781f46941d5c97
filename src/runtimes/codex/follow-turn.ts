import type { Fault } from "../../core/faults.ts";
import { timeLimit } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { mostCalls } from "../runtime.ts";
import { turnRequests } from "./asking/turn-requests.ts";
import type { NotificationFrame } from "./connection/frame.ts";
import type { ThreadFeed } from "./connection/thread-feed.ts";
import { orLoop } from "./fault-words.ts";
import { type GoesOn, awaitedItems, lateItemGraceMs, withWholeOutput } from "./items/close-items.ts";
import { isCall } from "./items/item-mapping.ts";
import { isRunning } from "./items/strays.ts";
import { endedEvent, outcomeOf } from "./items/turn-machine.ts";
import {
  type LiveTurn,
  type TurnEnd,
  closeItems,
  takeNotification,
  takeSilent,
  takeTyped,
  takeUntold,
} from "./live-turn.ts";
import { probe } from "./probe.ts";
import type { Gone } from "./process/gone.ts";
import { goneFault } from "./process/process-fault.ts";
import { watchQuiet } from "./quiet-watch.ts";
import { endAbandonedCommands } from "./process/abandoned-commands.ts";
import { cleanTerminals, interrupt, interruptMs } from "./stop-turn.ts";
import { turnFailure } from "./turn-failure.ts";
import { endShells, terminalsOf } from "./watch/close-terminals.ts";
import { fieldsOf, idIn } from "./wire/fields.ts";
import { scopeOf } from "./wire/scope.ts";

/**
 * Follows a started turn to its end: its own `turn/completed`, the end of the process, or a Stop that codex does not
 * answer. Silence is asked about and never taken for an end.
 */
export async function followTurn(live: LiveTurn, feed: ThreadFeed): Promise<TurnEnd> {
  const calls = callLimit(live);
  return notByUs(live, calls.explained(await follow(live, feed, calls)));
}

/** Codex ended it in the middle by itself, or for another client of the thread: nobody here can know that unless it is said. */
function notByUs({ ports, plan }: LiveTurn, end: TurnEnd): TurnEnd {
  if (end.ended.outcome !== "interrupted" || ports.signal.aborted) return end;
  const fault: Fault = { ...stoppedElsewhere, next: orLoop(stoppedElsewhere.next, plan) };
  return { ...end, ended: { ...end.ended, outcome: "failed", fault } };
}

const stoppedElsewhere = {
  code: "lost",
  message:
    "Codex says that the turn was interrupted, and nobody here had stopped it: another program that uses this conversation may have, or codex itself.",
  next: "What was done so far is kept. Send “go on” to let it continue",
} as const;

async function follow(live: LiveTurn, feed: ThreadFeed, calls: CallLimit): Promise<TurnEnd> {
  const { clock } = live.ports;
  const stop = AbortSignal.any([live.ports.signal, calls.signal]);
  const over = new AbortController();
  const requests = turnRequests(live, AbortSignal.any([stop, over.signal]));
  const bell = doorbell(stop);
  const activity = (): { lastMs: number; itemOpen: boolean } => ({
    lastMs: feed.lastFrameMs,
    itemOpen: live.state.open.size > 0,
  });
  using cleanup = new DisposableStack();
  cleanup.use(watchQuiet(clock, activity, () => bell.ring("quiet")));
  let stopped = false;
  try {
    for (;;) {
      const frame = await feed.next(bell.signal());
      if (frame?.kind === "gone") return await lost(live, frame.exit);
      if (frame?.kind === "request") requests.answer(frame);
      if (frame?.kind === "notification") {
        requests.observe(frame);
        stopOther(live, frame);
        if (endsAnAnswer.has(frame.method)) await takeSilent(live);
        takeNotification(live, frame);
        calls.look();
      }
      if (live.state.outcome !== undefined) return await finish(live, feed);
      if (frame !== undefined) continue;
      const reasons = bell.answer();
      if (reasons.has("late")) return await endUnanswered(live);
      if (reasons.has("stop") && !stopped) {
        stopped = true;
        void interrupt(live, clock, over.signal);
        clock.sleep(interruptMs, over.signal).then(
          () => bell.ring("late"),
          () => {}, // it ended in time
        );
      }
      if (!reasons.has("quiet")) continue;
      const verdict = await probe(live);
      if (verdict !== "active") {
        await takeTyped(live);
        return verdict;
      }
      live.out.push({
        type: "status",
        state: "waiting",
        text: "codex is silent, and says that it is at work",
      });
    }
  } finally {
    over.abort(noLongerNeeded);
    if (stopped && live.server.alive) await cleanTerminals(live);
  }
}

/** Codex has begun another turn on the thread. What it does all the same is kept with this one. */
function stopOther({ state, server, ports }: LiveTurn, { method, params }: NotificationFrame): void {
  const { threadId, turnId } = scopeOf(params);
  if (method !== "turn/started" || threadId !== state.threadId || turnId === state.turnId) return;
  if (turnId !== undefined) void interrupt({ server, state: { threadId, turnId } }, ports.clock);
}

/** By then what the model called is done and written down. */
const endsAnAnswer: ReadonlySet<string> = new Set(["thread/tokenUsage/updated", "turn/completed"]);

/** Codex has said how it ended. */
async function finish(live: LiveTurn, feed: ThreadFeed): Promise<TurnEnd> {
  if (live.state.outcome?.status === "completed") await lateItems(live, feed, await endShells(live));
  await takeTyped(live);
  const outcome = outcomeOf(live.state.outcome?.status ?? "");
  live.atEnd = live.state;
  if (outcome === "interrupted") {
    const goesOn = await endCommands(live);
    await takeOutputs(live, feed, goesOn);
    closeItems(live, "interrupted", goesOn);
  }
  if (outcome !== "interrupted") closeItems(live, "ended");
  if (outcome !== "failed") return { ended: endedEvent(live.state, outcome) };
  const { fault, drain } = await turnFailure(live);
  return { ended: endedEvent(live.state, "failed", fault), ...(drain === undefined ? {} : { drain }) };
}

/** Ends the commands of a stopped turn and looks whether that came true. */
async function endCommands(live: LiveTurn): Promise<GoesOn> {
  if (![...live.state.open.values()].some(isRunning)) return () => undefined;
  await cleanTerminals(live);
  for (let looks = 1; ; looks++) {
    const left = await terminalsOf(live.server, live.state.threadId);
    const goesOn: GoesOn = (key) => left?.some(({ itemId }) => itemId === key);
    if (looks === mostLooks || ![...live.state.open.keys()].some(goesOn)) {
      await endAbandonedCommands(live.server.pid, live.ports.clock);
      return goesOn;
    }
    await live.ports.clock.sleep(lookAgainMs);
  }
}

/** Of those that were ended codex tells all that they wrote, mostly at once. */
async function takeOutputs(live: LiveTurn, feed: ThreadFeed, goesOn: GoesOn): Promise<void> {
  const ended = new Set(
    [...live.state.open].flatMap(([key, entry]) => (isRunning(entry) && goesOn(key) === false ? [key] : [])),
  );
  using enough = timeLimit(live.ports.clock, outputsMs);
  while (ended.size > 0) {
    const frame = await feed.next(enough.signal);
    if (frame?.kind !== "notification") return;
    const { item } = fieldsOf(frame.params);
    const state = frame.method === "item/completed" ? withWholeOutput(live.state, item) : undefined;
    if (state === undefined) takeNotification(live, frame);
    else live.state = state;
    if (state !== undefined) ended.delete(idIn(fieldsOf(item), "id") ?? "");
  }
}

const outputsMs = 500;

/** Codex answers before they have ended. */
const lookAgainMs = 100;
const mostLooks = 20;

/** The last items may come after the end of their turn; commands that go on in the background are not waited for. */
async function lateItems(live: LiveTurn, feed: ThreadFeed, ended: readonly string[]): Promise<void> {
  const awaited = (): boolean =>
    awaitedItems(live.state).length > 0 || ended.some((id) => live.state.open.has(id));
  if (!awaited()) return;
  const enough = new AbortController();
  live.ports.clock.sleep(lateItemGraceMs, enough.signal).then(
    () => enough.abort(noLongerNeeded),
    () => {}, // they came in time
  );
  while (awaited()) {
    const frame = await feed.next(enough.signal);
    if (frame?.kind !== "notification") break;
    takeNotification(live, frame);
  }
  enough.abort(noLongerNeeded);
}

async function lost(live: LiveTurn, gone: Gone): Promise<TurnEnd> {
  const stopped = live.ports.signal.aborted;
  await takeTyped(live);
  await takeUntold(live);
  closeItems(live, stopped ? "interrupted" : "lost");
  if (stopped) return { ended: endedEvent(live.state, "interrupted") };
  const fault = goneFault(gone, { loopRouteExists: live.plan.loopRouteExists, starting: false });
  return { ended: endedEvent(live.state, "failed", fault) };
}

/** Stop was not answered: the turn is over for us, and the process shows whether it can still be talked to. */
async function endUnanswered(live: LiveTurn): Promise<TurnEnd> {
  await takeTyped(live);
  const verdict = await probe(live);
  if (verdict !== "active" && verdict.drain === undefined) return verdict;
  if (verdict === "active") {
    await takeUntold(live);
    closeItems(live, "interrupted");
  }
  live.out.push({
    type: "notice",
    code: "codex_hung",
    text: "Codex did not answer the Stop, so it is ended.",
  });
  return { ended: endedEvent(live.state, "interrupted"), drain: "wedged" };
}

type Reason = "stop" | "quiet" | "late";

/** Interrupts the wait for the next frame. Rings that come together are answered together. */
function doorbell(stop: AbortSignal): {
  signal(): AbortSignal;
  ring(reason: Reason): void;
  answer(): ReadonlySet<Reason>;
} {
  let bell = new AbortController();
  let reasons = new Set<Reason>();
  const ring = (reason: Reason): void => {
    reasons.add(reason);
    bell.abort();
  };
  if (stop.aborted) ring("stop");
  stop.addEventListener("abort", () => ring("stop"), { once: true });
  return {
    ring,
    signal: () => bell.signal,
    answer() {
      const activity = reasons;
      reasons = new Set();
      bell = new AbortController();
      return activity;
    },
  };
}

/** Codex lets a turn make any number of calls; here it may make as many as on the loop. */
type CallLimit = {
  /** Aborts when the turn has begun one call more. */
  readonly signal: AbortSignal;
  /** Counts. To be called after each frame. */
  look(): void;
  /** The end of the turn, which is no Stop if this limit made it. */
  explained(end: TurnEnd): TurnEnd;
};

function callLimit(live: LiveTurn): CallLimit {
  const over = new AbortController();
  return {
    signal: over.signal,
    look() {
      if (!over.signal.aborted && begun(live) > mostCalls) over.abort(new Error(tooMany.message));
    },
    explained(end) {
      const isOurs = over.signal.aborted && !live.ports.signal.aborted && end.ended.outcome === "interrupted";
      return isOurs ? { ...end, ended: { ...end.ended, outcome: "failed", fault: tooMany } } : end;
    },
  };
}

const begun = ({ state }: LiveTurn): number =>
  state.calls + [...state.open.values()].filter(({ body }) => isCall(body)).length;

const tooMany: Fault = {
  code: "refused",
  message: `The turn has used up its ${mostCalls} tool calls without an answer, so codex was stopped.`,
  next: "What it did is kept. Send “go on” to let it continue, or ask for a smaller step.",
};
