import { chatAdvice } from "../../core/advice.ts";
import type { EndedEvent, Outcome, Usage } from "../../core/events.ts";
import type { Fault } from "../../core/faults.ts";
import { soundCost, tokensText } from "../../core/usage.ts";
import { dollars, durationText } from "./amounts.ts";
import type { Block } from "./transcript/blocks.ts";

type Ended = {
  readonly outcome: Outcome;
  readonly fault?: Fault | undefined;
  readonly usage?: Usage | undefined;
};

/** How a turn ended: what went wrong, if anything did, then one line of what it took. */
export function endBlocks(
  { outcome, fault, usage }: Ended | EndedEvent,
  ms: number | undefined,
): readonly Block[] {
  const took = ms === undefined ? [] : [durationText(ms)];
  const parts = [...words[outcome], ...took, ...(usage === undefined ? [] : spent(usage))];
  const line: Block = { kind: "end", text: parts.join(" · "), warn: outcome === "unconfirmed" };
  return [
    ...(fault === undefined
      ? []
      : [{ kind: "fault" as const, message: fault.message, next: chatAdvice(fault.next) }]),
    ...(parts.length === 0 ? [] : [line]),
  ];
}

const words: Readonly<Record<Outcome, readonly string[]>> = {
  done: [],
  interrupted: ["interrupted; what was finished is kept"],
  failed: ["failed"],
  unconfirmed: ["it probably finished, but that could not be confirmed"],
};

function spent({ input, output, cost }: Usage): readonly string[] {
  const known = soundCost(cost);
  return [
    ...(input + output > 0 ? [`${tokensText(input)} tokens in, ${tokensText(output)} out`] : []),
    ...(known === undefined ? [] : [dollars(known)]),
  ];
}
