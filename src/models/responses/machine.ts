import type { ModelItem, UsageEvent } from "../model.ts";
import type { SseFrame } from "../sse.ts";
import {
  fieldsOf,
  isBlank,
  jsonObject,
  listOf,
  textOf,
  usageOf,
  type Fields,
  type Step,
  type Wire,
  type WireEvent,
  type WireState,
} from "../wire.ts";
import { responsesBody } from "./body.ts";
import {
  findOpen,
  finished,
  isFinished,
  isSame,
  isWholeCall,
  itemText,
  keysOfDelta,
  keysOfItem,
  kindOf,
  newPart,
  sealedReasoning,
  type Keys,
  type Part,
} from "./parts.ts";

export type ResponsesState = WireState & { readonly parts: readonly Part[]; readonly ended: boolean };

type Next = Step<ResponsesState>;

const start: ResponsesState = { parts: [], ended: false, heard: 0, skipped: 0 };

/** The Responses API. The list in the terminal frame is never read: providers leave it empty or differ from what they streamed. */
export const responses: Wire<ResponsesState> = {
  path: "/responses",
  body: responsesBody,
  start,
  step,
  whole,
  end: (state) => (state.ended ? [] : [problem(unfinished(state))]),
};

function step(state: ResponsesState, frame: SseFrame): Next {
  if (state.ended) return [state, []];
  const said = jsonObject(frame.data);
  if (said === undefined) return skip(state);
  const type = textOf(said["type"]) || (frame.event ?? (said["error"] === undefined ? "" : "error"));
  return apply(state, type, said);
}

function apply(state: ResponsesState, type: string, said: Fields): Next {
  if (quiet.has(type)) return [state, []];
  const handle = handlers.get(type);
  return handle === undefined ? skip(state) : handle(state, said);
}

type Handler = (state: ResponsesState, frame: Fields) => Next;

const handlers: ReadonlyMap<string, Handler> = new Map([
  ["response.output_item.added", announce],
  ["response.output_item.done", finish],
  ["response.output_text.delta", grow("text")],
  ["response.refusal.delta", grow("text")],
  ["response.reasoning_summary_text.delta", grow("thinking")],
  ["response.reasoning_text.delta", grow("thinking")],
  ["response.reasoning_summary_part.added", paragraph],
  ["response.function_call_arguments.delta", grow("call")],
  ["response.function_call_arguments.done", argumentsDone],
  ["response.completed", complete],
  ["response.incomplete", incomplete],
  ["response.failed", failed],
  ["error", failed],
]);

/** Frames that repeat what other frames say, or say nothing. */
const quiet: ReadonlySet<string> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "response.content_part.added",
  "response.content_part.done",
  "response.output_text.done",
  "response.output_text.annotation.added",
  "response.refusal.done",
  "response.reasoning_summary_part.done",
  "response.reasoning_summary_text.done",
  "response.reasoning_text.done",
]);

function announce(state: ResponsesState, frame: Fields): Next {
  const item = fieldsOf(frame["item"]);
  const kind = kindOf(item);
  if (kind === undefined) return skip(state);
  const keys = keysOfItem(frame, item);
  const known = state.parts.some((part) => isSame(part, keys));
  return known
    ? [state, []]
    : [put(state, newPart(state.parts.length, kind, { ...keys, ...named(item) })), []];
}

const named = (item: Fields): Pick<Part, "name" | "phase"> => ({
  name: textOf(item["name"]),
  phase: textOf(item["phase"]),
});

function grow(kind: Part["kind"]): Handler {
  return (state, frame) => {
    const delta = textOf(frame["delta"]);
    const keys = keysOfDelta(frame);
    if (delta === "" || isFinished(state.parts, keys)) return [state, []];
    const found = findOpen(state.parts, kind, keys) ?? findThinking(state, kind, keys);
    const part = found ?? newPart(state.parts.length, kind, keys);
    const next = put(state, { ...part, text: part.text + delta });
    if (part.kind === "call") return [next, []];
    return [next, [{ type: "delta", item: part.item, of: part.kind, text: delta }]];
  };
}

/** A message in the phase `analysis` is thinking, though its deltas are those of text. */
const findThinking = (state: ResponsesState, kind: Part["kind"], keys: Keys): Part | undefined =>
  kind === "text" ? findOpen(state.parts, "thinking", keys) : undefined;

/** Summary parts are paragraphs; nothing else separates the end of one from the beginning of the next. */
function paragraph(state: ResponsesState, frame: Fields): Next {
  const part = findOpen(state.parts, "thinking", keysOfDelta(frame));
  return part === undefined || part.text === ""
    ? [state, []]
    : grow("thinking")(state, { ...frame, delta: "\n\n" });
}

function argumentsDone(state: ResponsesState, frame: Fields): Next {
  const part = findOpen(state.parts, "call", keysOfDelta(frame));
  if (part === undefined) return [state, []];
  const text = textOf(frame["arguments"]) || part.text;
  return [put(state, { ...part, text, name: part.name || textOf(frame["name"]), whole: true }), []];
}

function finish(state: ResponsesState, frame: Fields): Next {
  const item = fieldsOf(frame["item"]);
  const kind = kindOf(item);
  const keys = keysOfItem(frame, item);
  if (kind === undefined || isFinished(state.parts, keys)) return skip(state);
  const part = findOpen(state.parts, kind, keys) ?? newPart(state.parts.length, kind, keys);
  const { name, phase } = named(item);
  const full: Part = {
    ...part,
    id: keys.id || part.id,
    callId: keys.callId || part.callId || keys.id || `call_${part.item}`,
    name: name || part.name,
    phase: phase || part.phase,
    text: itemText(item) || part.text,
  };
  if (kind === "call" && item["status"] === "incomplete") return [put(state, { ...full, half: true }), []];
  if (kind === "call" && full.name === "") return [put(state, full), []];
  return [put(state, { ...full, done: true }), itemEvents(finished(full, sealedReasoning(item)))];
}

function complete(state: ResponsesState, frame: Fields): Next {
  const usage = usageEvents(frame);
  const open = state.parts.filter((part) => !part.done);
  const half = open.find((part) => part.kind === "call" && !isWholeCall(part));
  if (half !== undefined) return over(state, [...usage, problem({ kind: "half_call", tool: half.name })]);
  // Deltas nobody finished stand in for an item only when the answer has no calls: beside calls they may be a repetition.
  const called = state.parts.some((part) => part.kind === "call");
  const late = open.filter((part) => (called ? part.kind === "call" : true));
  const items = late.flatMap((part) =>
    itemEvents(finished({ ...part, callId: part.callId || `call_${part.item}` })),
  );
  const answered = state.parts.some((part) => isAnswer(part) && (part.done || late.includes(part)));
  if (!answered) return over(state, [...usage, ...items, problem({ kind: "empty" })]);
  return over(state, [...usage, ...items, { type: "completed", skipped: state.skipped }]);
}

const isAnswer = (part: Part): boolean =>
  part.kind === "call" || (part.kind === "text" && !isBlank(part.text));

function incomplete(state: ResponsesState, frame: Fields): Next {
  const details = fieldsOf(fieldsOf(frame["response"])["incomplete_details"]);
  return over(state, [
    ...usageEvents(frame),
    problem({ kind: "incomplete", reason: textOf(details["reason"]) }),
  ]);
}

function failed(state: ResponsesState, frame: Fields): Next {
  const error = fieldsOf(frame["response"])["error"] ?? frame["error"] ?? frame;
  return over(state, [...usageEvents(frame), problem({ kind: "said", error })]);
}

/** One JSON answer is played as the frames it stands for, so that there is one set of rules. */
function whole(answer: unknown): readonly WireEvent[] {
  const response = fieldsOf(answer);
  if (!Array.isArray(response["output"])) {
    if (response["error"] !== undefined && response["error"] !== null)
      return [problem({ kind: "said", error: response["error"] })];
    return [problem({ kind: "unreadable", what: "JSON without an output" })];
  }
  let state = start;
  const play = (type: string, said: Fields): readonly WireEvent[] => {
    const [next, events] = apply(state, type, said);
    state = next;
    return events;
  };
  const items = listOf(response["output"]).flatMap((item, index) =>
    play("response.output_item.done", { output_index: index, item }),
  );
  return [...items, ...play(terminals.get(textOf(response["status"])) ?? "response.completed", { response })];
}

const terminals: ReadonlyMap<string, string> = new Map([
  ["failed", "response.failed"],
  ["incomplete", "response.incomplete"],
]);

const unfinished = (state: ResponsesState) =>
  state.heard === 0 && state.skipped > 0
    ? ({ kind: "unreadable", what: "frames Talaria cannot read" } as const)
    : ({ kind: "cut" } as const);

function usageEvents(frame: Fields): readonly UsageEvent[] {
  const usage = fieldsOf(frame["response"])["usage"];
  if (usage === undefined || usage === null) return [];
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details } = fieldsOf(usage);
  const cached = fieldsOf(input_tokens_details)["cached_tokens"];
  const reasoning = fieldsOf(output_tokens_details)["reasoning_tokens"];
  return [{ type: "usage", ...usageOf(input_tokens, cached, output_tokens, reasoning) }];
}

const problem = (what: Extract<WireEvent, { type: "problem" }>["problem"]): WireEvent => ({
  type: "problem",
  problem: what,
});

const itemEvents = (item: ModelItem | undefined): readonly WireEvent[] =>
  item === undefined ? [] : [{ type: "item", item }];

const skip = (state: ResponsesState): Next => [{ ...state, skipped: state.skipped + 1 }, []];

const over = (state: ResponsesState, events: readonly WireEvent[]): Next => [
  { ...state, ended: true },
  events,
];

const put = (state: ResponsesState, part: Part): ResponsesState => ({
  ...state,
  heard: state.heard + 1,
  parts: state.parts.toSpliced(part.item, 1, part),
});
