import type { ConverseEvent } from "../../src/models/converse.ts";

export const mutantFrames = 600;

const call: ConverseEvent = {
  type: "item",
  item: { kind: "call", item: 0, callId: "c", name: "t", arguments: "{}" },
};

/** Clients with a mistake each. A run that does not notice it is worth nothing. */
export const mutants: Readonly<
  Record<string, (events: readonly ConverseEvent[]) => readonly ConverseEvent[]>
> = {
  "ends twice": (events) => [...events, ...events.slice(-1)],
  "does not end": (events) => events.slice(0, -1),
  "says calls at once": (events) => [call, ...events],
  "says blank text": (events) => [{ type: "item", item: { kind: "text", item: 0, text: " " } }, ...events],
};
