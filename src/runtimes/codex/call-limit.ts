import type { Fault } from "../../core/faults.ts";
import { mostCalls } from "../most-calls.ts";
import { isCall } from "./items/item-mapping.ts";
import type { LiveTurn, TurnEnd } from "./live-turn.ts";

/** Codex lets a turn make any number of calls; here it may make as many as on the loop. */
export type CallLimit = {
  /** Aborts when the turn has begun one call more. */
  readonly signal: AbortSignal;
  /** Counts. To be called after each frame. */
  look(): void;
  /** The end of the turn, which is no Stop if this limit made it. */
  explained(end: TurnEnd): TurnEnd;
};

export function callLimit(live: LiveTurn): CallLimit {
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
