import type { WireEvent } from "../wire.ts";
import { responses } from "./machine.ts";

export type Frame = Readonly<Record<string, unknown>>;

/** Everything the machine says about the frames, and then about the end of the bytes. */
export function run(...frames: readonly (Frame | string)[]): readonly WireEvent[] {
  let state = responses.start;
  const events = frames.flatMap((frame) => {
    const data = typeof frame === "string" ? frame : JSON.stringify(frame);
    const [next, said] = responses.step(state, { data });
    state = next;
    return said;
  });
  return [...events, ...responses.end(state)];
}

export const created = { type: "response.created", response: { id: "r" } };
export const completed = { type: "response.completed", response: { id: "r", output: [] } };
export const message = (id: string, text: string, more: Frame = {}): Frame => ({
  type: "message",
  id,
  role: "assistant",
  content: [{ type: "output_text", text }],
  ...more,
});
export const call = (id: string, callId: string, args: string, more: Frame = {}): Frame => ({
  type: "function_call",
  id,
  call_id: callId,
  name: "read",
  arguments: args,
  ...more,
});
export const added = (index: number, item: Frame): Frame => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});
export const done = (index: number, item: Frame): Frame => ({
  type: "response.output_item.done",
  output_index: index,
  item,
});
export const textDelta = (id: string, index: number, delta: string): Frame => ({
  type: "response.output_text.delta",
  item_id: id,
  output_index: index,
  delta,
});
export const argsDelta = (id: string, index: number, delta: string): Frame => ({
  type: "response.function_call_arguments.delta",
  item_id: id,
  output_index: index,
  delta,
});

export const summaryPart = (n: number) => ({
  type: "response.reasoning_summary_part.added",
  item_id: "rs",
  output_index: 0,
  summary_index: n,
});
export const summaryDelta = (text: string) => ({
  type: "response.reasoning_summary_text.delta",
  item_id: "rs",
  output_index: 0,
  delta: text,
});
export const bare = (delta: string) => ({ type: "response.output_text.delta", delta });

export const itemsOf = (events: readonly WireEvent[]) =>
  events.flatMap((event) => (event.type === "item" ? [event.item] : []));
export const problemOf = (events: readonly WireEvent[]) =>
  events.flatMap((event) => (event.type === "problem" ? [event.problem] : []))[0];
