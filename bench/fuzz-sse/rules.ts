import type { ConverseEvent } from "../../src/models/converse.ts";

/** What must hold of everything a model ever says, in words where it does not. */
export function brokenRules(events: readonly ConverseEvent[]): readonly string[] {
  const last = events.at(-1);
  const firstCall = events.findIndex(isCall);
  const afterCall = firstCall === -1 ? [] : events.slice(firstCall, -1);
  const rules: readonly (readonly [boolean, string])[] = [
    [events.filter(isTerminal).length === 1, "a stream did not end exactly once"],
    [last !== undefined && isTerminal(last), "something was said after the end"],
    [firstCall === -1 || last?.type === "completed", "a call was said though the answer is not whole"],
    [afterCall.every((event) => isCall(event) || event.type === "usage"), "a call was said before the end"],
    [events.filter(isCall).length <= 1000, "more calls than allowed"],
    [events.every(isWellFormed), "an event has a part of a wrong kind"],
    [!(last?.type === "failed" && last.fault.code === "bug"), `a bug: ${wordsOf(last)}`],
    [last?.type !== "completed" || events.some(isAnswer), "an empty answer counts as complete"],
  ];
  return rules.flatMap(([holds, words]) => (holds ? [] : [words]));
}

const isTerminal = ({ type }: ConverseEvent): boolean =>
  type === "completed" || type === "failed" || type === "aborted";

const isCall = (event: ConverseEvent): boolean => event.type === "item" && event.item.kind === "call";

const isAnswer = (event: ConverseEvent): boolean =>
  event.type === "item" && (event.item.kind === "text" || event.item.kind === "call");

function isWellFormed(event: ConverseEvent): boolean {
  if (event.type === "delta") return typeof event.text === "string" && event.text !== "";
  if (event.type === "usage")
    return [event.input, event.cached, event.output, event.reasoning].every(isCount);
  if (event.type === "failed") return event.fault.message !== "" && event.fault.next !== "";
  if (event.type !== "item") return true;
  const { item } = event;
  if (item.kind === "text") return typeof item.text === "string" && item.text.trim() !== "";
  if (item.kind === "thinking" || item.kind === "note") return typeof item.text === "string";
  return [item.callId, item.name, item.arguments].every((text) => typeof text === "string" && text !== "");
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const wordsOf = (event: ConverseEvent | undefined): string =>
  event?.type === "failed" ? event.fault.message : "";
