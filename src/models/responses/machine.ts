import { type Fields, fieldsOf, listOf } from "../../core/json.ts";
import { short } from "../../core/plain-text.ts";
import type { Problem } from "../fault.ts";
import type { ModelItem, UsageEvent } from "../model.ts";
import type { SseFrame } from "../sse.ts";
import {
  isBlank,
  jsonObject,
  mostItems,
  textOf,
  usageOf,
  type Step,
  type Wire,
  type WireEvent,
  type WireState,
} from "../wire.ts";
import { responsesBody } from "./body.ts";
import {
  findByText,
  findDone,
  findOpen,
  finished,
  isFinishedCall,
  isSame,
  isWholeCall,
  itemText,
  keysOfDelta,
  keysOfItem,
  labelsOf,
  newPart,
  proseKind,
  sealedReasoning,
  kindOf,
  type Keys,
  type Part,
} from "./parts.ts";

export type ResponsesState = WireState & { readonly parts: readonly Part[]; readonly ended: boolean };

type Next = Step<ResponsesState>;

const start: ResponsesState = { parts: [], ended: false, advanced: 0, skipped: 0 };

/**
 * The Responses API. The list in the terminal frame is never read: providers leave it empty or differ from what they
 * streamed. Calls are said when the answer is complete, in the order they were announced.
 */
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
  const fields = jsonObject(frame.data);
  if (fields === undefined)
    return frame.event === "error" ? failed(state, { error: frame.data }) : skip(state);
  const type = textOf(fields["type"]) || (frame.event ?? (fields["error"] === undefined ? "" : "error"));
  return apply(state, type, fields);
}

function apply(state: ResponsesState, type: string, fields: Fields): Next {
  if (ignoredTypes.has(type)) return [state, []];
  const handle = handlers.get(type);
  if (handle === undefined) return skip(state);
  const next = handle(state, fields);
  if (next[0].parts.length <= mostItems) return next;
  return endWith(state, [problem({ kind: "too_many", items: mostItems })]);
}

type Handler = (state: ResponsesState, frame: Fields) => Next;

const handlers: ReadonlyMap<string, Handler> = new Map([
  ["response.output_item.added", announce],
  ["response.output_item.done", finish],
  ["response.output_text.delta", grow("message")],
  ["response.refusal.delta", grow("message")],
  ["response.reasoning_summary_text.delta", grow("reasoning", "summary_index")],
  ["response.reasoning_text.delta", grow("reasoning", "content_index")],
  ["response.reasoning_summary_part.added", paragraph],
  ["response.function_call_arguments.delta", grow("call")],
  ["response.function_call_arguments.done", argumentsDone],
  ["response.custom_tool_call_input.delta", grow("call")],
  ["response.custom_tool_call_input.done", argumentsDone],
  ["response.completed", terminal],
  ["response.done", terminal],
  ["response.incomplete", incomplete],
  ["response.failed", failed],
  ["response.cancelled", failed],
  ["error", failed],
]);

/** Frames that repeat what other frames say, or say nothing. */
const ignoredTypes: ReadonlySet<string> = new Set([
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
    : [withPart(state, newPart(state.parts.length, kind, { ...keys, ...labelsOf(item) })), []];
}

/** `section` is the field that numbers the paragraphs: a blank line stands between two of them. */
function grow(kind: Part["kind"], section?: string): Handler {
  return (state, frame) => {
    const text = textOf(frame["delta"]);
    const keys = keysOfDelta(frame);
    if (text === "" || findDone(state.parts, keys) !== undefined) return [state, []];
    const part = findOpen(state.parts, kind, keys) ?? newPart(state.parts.length, kind, keys);
    const here = section === undefined ? "" : `${section} ${String(frame[section])}`;
    const delta = part.text !== "" && part.section !== here ? `\n\n${text}` : text;
    const next = withPart(state, { ...part, section: here, text: part.text + delta });
    if (kind === "call") return [next, []];
    return [next, [{ type: "delta", item: part.item, of: proseKind(part), text: delta }]];
  };
}

/** Not every relay numbers the paragraphs. */
function paragraph(state: ResponsesState, frame: Fields): Next {
  const part = findOpen(state.parts, "reasoning", keysOfDelta(frame));
  return part === undefined ? [state, []] : [withPart(state, { ...part, section: "next" }), []];
}

function argumentsDone(state: ResponsesState, frame: Fields): Next {
  const part = findOpen(state.parts, "call", keysOfDelta(frame));
  if (part === undefined) return [state, []];
  const text = textOf(frame["arguments"]) || textOf(frame["input"]) || part.text;
  return [withPart(state, { ...part, text, name: part.name || textOf(frame["name"]), whole: true }), []];
}

function finish(state: ResponsesState, frame: Fields): Next {
  const item = fieldsOf(frame["item"]);
  const kind = kindOf(item);
  const keys = keysOfItem(frame, item);
  const text = itemText(item);
  const done = findDone(state.parts, keys);
  if (kind === undefined) return foreign(state, keys, item);
  if (isRepeat(done, item, text)) return skip(state);
  const open = findOpen(state.parts, kind, keys) ?? findByText(state.parts, kind, text);
  const part = open ?? corrected(done, keys) ?? newPart(state.parts.length, kind, keys);
  const full = finishedPart(part, keys, item, text);
  if (kind === "call") return [withPart(state, full), []];
  return [withPart(state, full), itemEvents(finished(full, sealedReasoning(item)))];
}

/** What the provider did by itself is said, once. */
function foreign(state: ResponsesState, keys: Keys, item: Fields): Next {
  if (textOf(item["type"]) === "" || findDone(state.parts, keys) !== undefined) return skip(state);
  const part = { ...newPart(state.parts.length, "foreign", keys), done: true };
  return [withPart(state, part), itemEvents(foreignItem(part.item, item))];
}

/** The same item once more. Two calls of one id that ask for different things are two calls. */
const isRepeat = (done: Part | undefined, item: Fields, text: string): boolean =>
  done !== undefined &&
  (done.kind !== "call" || (done.name === textOf(item["name"]) && (text === "" || done.text === text)));

/** A call is not said before the end, so the provider's last word about it counts. */
const corrected = (done: Part | undefined, keys: Keys): Part | undefined =>
  done !== undefined && keys.id !== "" && done.id === keys.id && done.callId === keys.callId
    ? done
    : undefined;

function finishedPart(part: Part, keys: Keys, item: Fields, text: string): Part {
  const { name, phase, custom } = labelsOf(item);
  const half = part.kind === "call" && item["status"] === "incomplete";
  return {
    ...part,
    id: keys.id || part.id,
    callId: keys.callId || part.callId || keys.id,
    name: name || part.name,
    phase: phase || part.phase,
    custom: custom || part.custom,
    text: text || part.text,
    half,
    done: !half && (part.kind !== "call" || (name || part.name) !== ""),
  };
}

/** A response that says of itself that it failed did so, whatever the name of the frame. */
function terminal(state: ResponsesState, frame: Fields): Next {
  const status = textOf(fieldsOf(frame["response"])["status"]);
  return (terminals.get(status) ?? complete)(state, frame);
}

const terminals: ReadonlyMap<string, Handler> = new Map([
  ["failed", failed],
  ["cancelled", failed],
  ["incomplete", incomplete],
]);

function complete(state: ResponsesState, frame: Fields): Next {
  const calls = state.parts.filter((part) => part.kind === "call");
  const half = calls.find((part) => !isWholeCall(part));
  if (half !== undefined)
    return endWith(state, [...usageEvents(frame), problem({ kind: "half_call", tool: half.name })]);
  return conclude(state, frame, calls);
}

/** Says what is left to say: these calls, or the words that nobody finished. */
function conclude(
  state: ResponsesState,
  frame: Fields,
  calls: readonly Part[],
  early?: Extract<Problem, { kind: "incomplete" }>,
): Next {
  // Deltas nobody finished stand in for an item only when the answer has no calls: beside calls they may be a repetition.
  const prose = state.parts.filter((part) => part.kind !== "call");
  const late = calls.length > 0 ? calls : prose.filter((part) => !part.done);
  const events = [...usageEvents(frame), ...late.flatMap((part) => itemEvents(finished(part)))];
  const answered = calls.length > 0 || prose.some(isAnswer);
  if (!answered) return endWith(state, [...events, problem(early ?? { kind: "empty" })]);
  const why = early === undefined ? {} : { early };
  return endWith(state, [...events, { type: "completed", skipped: state.skipped, ...why }]);
}

const isAnswer = (part: Part): boolean => proseKind(part) === "text" && !isBlank(part.text);

/** What was finished before the end counts: some backends end every answer like this. */
function incomplete(state: ResponsesState, frame: Fields): Next {
  const details = fieldsOf(fieldsOf(frame["response"])["incomplete_details"]);
  const early = { kind: "incomplete", reason: textOf(details["reason"]) } as const;
  return conclude(state, frame, state.parts.filter(isFinishedCall), early);
}

/** The error stands in the response, under `error`, or is the frame itself. */
function failed(state: ResponsesState, frame: Fields): Next {
  const inner = fieldsOf(frame["response"])["error"];
  return endWith(state, [...usageEvents(frame), problem({ kind: "provider_error", error: inner ?? frame })]);
}

/** One JSON answer is played as the frames it stands for, so that there is one set of rules. */
function whole(answer: unknown): readonly WireEvent[] {
  const response = fieldsOf(answer);
  if (!Array.isArray(response["output"])) {
    if (response["error"] !== undefined && response["error"] !== null)
      return [problem({ kind: "provider_error", error: response })];
    return [problem({ kind: "unreadable", what: "JSON without an output" })];
  }
  let state = start;
  const play = (type: string, fields: Fields): readonly WireEvent[] => {
    const [next, events] = state.ended ? [state, []] : apply(state, type, fields);
    state = next;
    return events;
  };
  const items = listOf(response["output"]).flatMap((item, index) =>
    play("response.output_item.done", { output_index: index, item }),
  );
  return [...items, ...play("response.completed", { response })];
}

const unfinished = (state: ResponsesState): Problem =>
  state.advanced === 0 && state.skipped > 0
    ? { kind: "unreadable", what: "frames Talaria cannot read" }
    : { kind: "cut" };

function usageEvents(frame: Fields): readonly UsageEvent[] {
  const usage = fieldsOf(frame["response"])["usage"];
  if (usage === undefined || usage === null) return [];
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details } = fieldsOf(usage);
  const cached = fieldsOf(input_tokens_details)["cached_tokens"];
  const reasoning = fieldsOf(output_tokens_details)["reasoning_tokens"];
  return [{ type: "usage", ...usageOf(input_tokens, cached, output_tokens, reasoning) }];
}

const problem = (what: Problem): WireEvent => ({ type: "problem", problem: what });

const itemEvents = (item: ModelItem | undefined): readonly WireEvent[] =>
  item === undefined ? [] : [{ type: "item", item }];

const skip = (state: ResponsesState): Next => [{ ...state, skipped: state.skipped + 1 }, []];

const endWith = (state: ResponsesState, events: readonly WireEvent[]): Next => [
  { ...state, ended: true },
  events,
];

const withPart = (state: ResponsesState, part: Part): ResponsesState => ({
  ...state,
  advanced: state.advanced + 1,
  parts: state.parts.toSpliced(part.item, 1, part),
});

/**
 * An item of which only the provider knows what it means: a tool that it ran itself, or a kind that is newer than this
 * version. It is no part of the conversation, but that it happened is said.
 */
function foreignItem(item: number, fields: Fields): ModelItem {
  const [type, status] = [textOf(fields["type"]), textOf(fields["status"])];
  const names = [textOf(fields["server_label"]), textOf(fields["name"])].filter((name) => name !== "");
  const error = textOf(fields["error"]) || textOf(fieldsOf(fields["error"])["message"]);
  const facts = [
    ...(names.length === 0 ? [] : [names.join(" · ")]),
    ...(status === "" || status === "completed" ? [] : [status]),
    ...(error === "" ? [] : [error]),
  ].map((fact) => short(fact, 200));
  const more = facts.length === 0 ? "" : `: ${facts.join(", ")}`;
  return {
    kind: "note",
    item,
    text: `The provider added an item of the kind "${short(type, 60)}", which Talaria did not run${more}.`,
  };
}
