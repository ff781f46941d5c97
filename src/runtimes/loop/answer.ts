import type { TurnEvent, Usage } from "../../core/events.ts";
import type { Fault } from "../../core/faults.ts";
import { type ItemId, asId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { ConverseEvent } from "../../models/converse.ts";
import { addedUsage, type CompletedEvent, type FailedEvent, type ModelItem } from "../../models/model.ts";

/** A tool call the model has finished writing. */
export type Call = {
  readonly id: ItemId;
  readonly callId: string;
  readonly tool: string;
  readonly rawArgs: string;
};

/** What one request to the model gave. */
export type Answer = {
  /** The answer proper: commentary beside tool calls is not in it. */
  readonly text: string;
  /** Everything it said, for the next request. */
  readonly allText: string;
  readonly calls: readonly Call[];
  /** Reasoning that the route wants back before this answer. */
  readonly sealed: readonly Json[];
  /** It did not take back what it had sealed before. */
  readonly unsealed: boolean;
  readonly usage?: Usage;
  readonly stop: "completed" | "aborted" | Fault;
  /** Why it was ended early, though what came of it counts. */
  readonly early?: Fault;
  /** When it failed and the provider said how long to wait. */
  readonly retryAfterMs?: number;
};

/**
 * Turns a model's stream into events. Item ids come from the round and the place in the answer, so a replay gives the
 * same. Calls are only handed on when the answer is whole: a half-received one is never run.
 */
export async function* readAnswer(
  frames: AsyncIterable<ConverseEvent>,
  round: string,
  route: string,
  uniqueCallId: (id: string) => string,
): AsyncGenerator<TurnEvent, Answer> {
  const idOf = (item: number): ItemId => asId<"itm">(`${round}_${item}`);
  /** Text that came as deltas and is not finished: it has been shown, so it is kept even if the rest never comes. */
  const open = new Map<number, string>();
  const begun = new Set<number>();
  const texts: Extract<ModelItem, { kind: "text" }>[] = [];
  const calls: Call[] = [];
  const sealed: Json[] = [];
  let unsealed = false;
  let usage: Usage | undefined;
  let end: End = { stop: "aborted" };
  for await (const frame of frames) {
    if (frame.type === "delta") {
      const { item, of, text } = frame;
      if (!begun.has(item)) yield { type: "begin", item: { id: idOf(item), kind: of } };
      begun.add(item);
      if (of === "text") open.set(item, (open.get(item) ?? "") + text);
      yield { type: "delta", item: idOf(item), of, text };
    }
    if (frame.type === "retrying") yield { type: "status", state: "retrying", text: frame.text };
    if (frame.type === "notice") {
      unsealed ||= frame.code === "reasoning_dropped";
      yield frame;
    }
    if (frame.type === "item") open.delete(frame.item.item);
    if (frame.type === "item" && frame.item.kind === "thinking") {
      if (frame.item.sealed !== undefined) sealed.push(frame.item.sealed);
      yield thinking(frame.item, idOf(frame.item.item), route);
    }
    if (frame.type === "item" && frame.item.kind === "note")
      yield noteEvent(frame.item, idOf(frame.item.item));
    if (frame.type === "item" && frame.item.kind === "text") texts.push(frame.item);
    if (frame.type === "item" && frame.item.kind === "call") {
      const { item, callId, name, arguments: rawArgs } = frame.item;
      calls.push({ id: idOf(item), callId: uniqueCallId(callId), tool: name, rawArgs });
    }
    if (frame.type === "usage") usage = addedUsage(usage, frame);
    if (frame.type === "completed" || frame.type === "failed") end = endOf(frame);
  }
  const unfinished = [...open].filter(([, text]) => text.trim() !== "");
  texts.push(...unfinished.map(([item, text]) => ({ kind: "text" as const, item, text })));
  for (const text of texts) yield textEvent(text, idOf(text.item), calls.length > 0);
  return {
    text: calls.length > 0 ? "" : join(texts.filter((text) => text.phase !== "commentary")),
    allText: join(texts),
    calls: end.stop === "completed" ? calls : [],
    sealed: end.stop === "completed" ? sealed : [],
    unsealed,
    ...end,
    ...(usage === undefined ? {} : { usage }),
  };
}

type End = Pick<Answer, "stop" | "early" | "retryAfterMs">;

function endOf(last: CompletedEvent | FailedEvent): End {
  if (last.type === "completed")
    return { stop: "completed", ...(last.early === undefined ? {} : { early: last.early }) };
  const { fault, retryAfterMs } = last;
  return { stop: fault, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

const join = (texts: readonly { readonly text: string }[]): string =>
  texts.map(({ text }) => text).join("\n\n");

/** Beside calls it is no answer. */
const textEvent = (said: Extract<ModelItem, { kind: "text" }>, id: ItemId, isBeside: boolean): TurnEvent => {
  const { text, phase = "answer" } = said;
  return { type: "item", item: { id, kind: "text", text, phase: isBeside ? "commentary" : phase } };
};

const noteEvent = ({ text }: Extract<ModelItem, { kind: "note" }>, id: ItemId): TurnEvent => ({
  type: "item",
  item: { id, kind: "note", text, history: true },
});

const thinking = (item: Extract<ModelItem, { kind: "thinking" }>, id: ItemId, route: string): TurnEvent => ({
  type: "item",
  item: {
    id,
    kind: "thinking",
    text: item.text,
    ...(item.sealed === undefined ? {} : { sealed: { route, data: item.sealed } }),
  },
});
