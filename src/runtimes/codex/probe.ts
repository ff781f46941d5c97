import type { Fault } from "../../core/faults.ts";
import { orLoop } from "./fault-words.ts";
import { RequestTimedOut } from "./process/gone.ts";
import { goOnStep } from "./process/process-fault.ts";
import { type LiveTurn, type TurnEnd, closeItems, takeNotification, takeUntold } from "./live-turn.ts";
import { readThread, readThreadTurns } from "./thread/thread-turns.ts";
import { turnFailure } from "./turn-failure.ts";
import { endedEvent, outcomeOf } from "./items/turn-machine.ts";
import type { WireTurn } from "./wire/turn.ts";

/**
 * Asks codex what a silent thread is doing. At work: the turn goes on. Idle: we missed its end, and take the result from
 * the thread. No answer: the process is stuck.
 */
export async function probe(live: LiveTurn): Promise<"active" | TurnEnd> {
  try {
    const status = await readThread(live.server, live.state.threadId);
    if (status.type === "active") return "active";
    const turns = await readThreadTurns(live.server, live.state.threadId);
    const mine = turns.find((turn) => turn.id === live.state.turnId);
    if (mine === undefined || mine.status === "inProgress") return unconfirmed(live);
    return await takeResult(live, mine);
  } catch (error) {
    // Its end is on its way to the feed, and says more than we could.
    if (!(error instanceof RequestTimedOut)) return "active";
    return await stuck(live);
  }
}

/** What the thread knows, as if it had been told to us. */
async function takeResult(live: LiveTurn, turn: WireTurn): Promise<TurnEnd> {
  for (const item of turn.items) takeNotification(live, itemFrame(live, item));
  const outcome = outcomeOf(turn.status);
  closeItems(live, outcome === "interrupted" ? "interrupted" : "ended");
  if (outcome !== "failed") return { ended: endedEvent(live.state, outcome) };
  const { fault, drain } = await turnFailure(live, turn.error);
  return { ended: endedEvent(live.state, "failed", fault), ...(drain === undefined ? {} : { drain }) };
}

export const itemFrame = (
  { state }: Pick<LiveTurn, "state">,
  item: unknown,
): { readonly method: string; readonly params: unknown } => ({
  method: "item/completed",
  params: { threadId: state.threadId, turnId: state.turnId, item },
});

function unconfirmed(live: LiveTurn): TurnEnd {
  closeItems(live, "ended");
  return { ended: endedEvent(live.state, "unconfirmed") };
}

async function stuck(live: LiveTurn): Promise<TurnEnd> {
  const stopped = live.ports.signal.aborted;
  await takeUntold(live);
  closeItems(live, stopped ? "interrupted" : "lost");
  const ended = stopped
    ? endedEvent(live.state, "interrupted")
    : endedEvent(live.state, "failed", stuckFault(live.plan));
  return { ended, drain: "wedged" };
}

const stuckFault = (plan: LiveTurn["plan"]): Fault => ({
  code: "lost",
  message: "Codex has stopped answering in the middle of the turn, so its process was given up.",
  next: orLoop(goOnStep, plan),
});
