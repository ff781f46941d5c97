import type { EndedEvent, NoticeEvent } from "../core/events.ts";
import type { Fault, FaultCode } from "../core/faults.ts";
import { type InputPart, type Message, type UserMessage, messageText } from "../core/messages.ts";
import { addUsage } from "../core/spend.ts";
import type { Turn } from "../runtimes/runtime.ts";
import { history } from "../transcript/history.ts";

/** The provider behind a runtime will not answer for a while, whatever is asked. Another one may. */
const outOfService: ReadonlySet<FaultCode> = new Set(["quota", "rate_limited", "overloaded"]);

/** Why somebody else should finish the turn, if so. */
export const reasonToHandOver = ({ outcome, fault }: EndedEvent): Fault | undefined =>
  outcome === "failed" && fault !== undefined && outOfService.has(fault.code) ? fault : undefined;

/** The turn as it goes on elsewhere. `rows`: what is kept of it, the person's message first. */
export function handedOverTurn(turn: Turn, rows: readonly Message[], from: string, why: Fault): Turn {
  const [first, ...done] = history([{ turn: { id: turn.id, state: "open" }, messages: rows }]);
  const doneElsewhere = done.slice(0, -1);
  // A conversation that ends with the assistant's words asks for no more of them: such words are quoted instead.
  const spoke = rows.findLast(({ role }) => role !== "user")?.role === "assistant";
  const words = spoke ? done.slice(-1).map(messageText).join() : "";
  const rest = isSaidInto(rows) && first?.role === "user" ? { ...turn, input: inputOf(first) } : turn;
  if (doneElsewhere.length === 0 && words === "") return rest;
  return { ...rest, doneElsewhere, context: [...turn.context, begunText(from, why, words)] };
}

/** With steered words, history may have joined them with the first message: then that is the input. */
const isSaidInto = (rows: readonly Message[]): boolean =>
  rows.filter(({ role }) => role === "user").length > 1;

const inputOf = ({ content }: UserMessage): readonly InputPart[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

function begunText(from: string, { message }: Fault, words: string): string {
  const begun = `${from} has begun the work on the person's last message and could not finish it: ${message} What it did stands after the message. It has really happened, with tools that may not be yours. Go on from there, and do not do it again.`;
  return words === "" ? begun : `${begun} The last words that it showed to the person were:\n\n${words}`;
}

export const handOverNotice = (why: Fault, runtime: string, model: string): NoticeEvent => ({
  type: "notice",
  code: "route_switched",
  text: `${why.message} The turn is finished on the ${runtime} runtime${model === "" ? "" : ` with ${model}`}.`,
});

/** How the whole turn ended. If it failed twice, the first reason is what the person can wait for. */
export function combinedEnd(first: EndedEvent, second: EndedEvent, why: Fault): EndedEvent {
  const usage = second.usage === undefined ? first.usage : addUsage(first.usage, second.usage);
  const { fault: _, ...rest } = first;
  return {
    ...rest,
    outcome: second.outcome,
    text: second.text === "" ? first.text : second.text,
    calls: first.calls + second.calls,
    ...(second.fault === undefined ? {} : { fault: bothFaults(why, second.fault) }),
    ...(usage === undefined ? {} : { usage }),
    ...(second.uncounted === undefined ? {} : { uncounted: true }),
  };
}

const bothFaults = (first: Fault, second: Fault): Fault => ({
  ...first,
  message: `${first.message} The fallback failed too: ${second.message}`,
});
