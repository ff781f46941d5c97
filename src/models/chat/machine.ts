import { type Fields, fieldsOf, listOf } from "../../core/json.ts";
import type { ModelItem, ModelUsage } from "../model.ts";
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
import { chatBody } from "./body.ts";
import { addCall, growProse, type Part } from "./parts.ts";

export type ChatState = WireState & {
  readonly parts: readonly Part[];
  /** Why the model stopped, once it has. */
  readonly finish: string;
  readonly usage: ModelUsage | undefined;
  readonly ended: boolean;
};

type Next = Step<ChatState>;

const start: ChatState = { parts: [], finish: "", usage: undefined, ended: false, advanced: 0, skipped: 0 };

/** Chat Completions. Items finish together, because nothing before the finish reason says that a call is whole. */
export const chat: Wire<ChatState> = { path: "/chat/completions", body: chatBody, start, step, whole, end };

function step(state: ChatState, frame: SseFrame): Next {
  if (state.ended) return [state, []];
  if (frame.data.trim() === "[DONE]") return [{ ...state, ended: true }, conclude(state)];
  const chunk = jsonObject(frame.data);
  if (frame.event === "error") return failed(state, chunk ?? frame.data);
  return chunk === undefined ? skip(state) : apply(state, chunk);
}

const failed = (state: ChatState, error: unknown): Next => [
  { ...state, ended: true },
  [...usageEvents(state), { type: "problem", problem: providerError(error) }],
];

function apply(state: ChatState, chunk: Fields): Next {
  const { choices, usage } = chunk;
  if (isError(chunk)) return failed(state, chunk);
  if (!Array.isArray(choices)) return skip(state);
  const counted = isUsage(usage) ? { ...state, usage: readUsage(usage) } : state;
  const choice = choices.map(fieldsOf).find(({ index }) => index === undefined || index === 0);
  return choice === undefined ? [counted, []] : applyChoice(counted, choice);
}

function applyChoice(state: ChatState, choice: Fields): Next {
  const delta = fieldsOf(choice["delta"]);
  const { content } = delta;
  const thinking =
    textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]) || partsText(content, "thinking");
  const text = (textOf(content) || partsText(content, "text")) + textOf(delta["refusal"]);
  const calls = listOf(delta["tool_calls"]).map(fieldsOf);
  const prose = growProse(growProse(state.parts, "thinking", thinking), "text", text);
  const parts = calls.reduce(addCall, prose);
  const finish = textOf(choice["finish_reason"]) || state.finish;
  if (parts === state.parts && finish === state.finish) return [state, []];
  if (parts.length > mostItems) return [{ ...state, ended: true }, [tooMany]];
  const next = { ...state, parts, finish, closing: finish !== "", advanced: state.advanced + 1 };
  return [next, [...deltaEvents(parts, "thinking", thinking), ...deltaEvents(parts, "text", text)]];
}

const deltaEvents = (parts: readonly Part[], of: "thinking" | "text", text: string): readonly WireEvent[] => {
  const part = parts.find(({ kind }) => kind === of);
  return text === "" || part === undefined ? [] : [{ type: "delta", item: part.item, of, text }];
};

/** A few servers send the content as a list of parts; those of thinking may hold a list again. */
const partsText = (content: unknown, of: "thinking" | "text"): string =>
  listOf(content)
    .map((part) => fieldsOf(part)[of])
    .map((words) => textOf(words) || (of === "thinking" ? partsText(words, "text") : ""))
    .join("");

/** The answer is over: everything that is whole becomes an item. */
function conclude(state: ChatState): readonly WireEvent[] {
  const { parts, finish } = state;
  const prose = parts.filter(({ kind, text }) => kind !== "call" && !isBlank(text));
  if (finish === "length" || finish === "content_filter") return endedEarly(state, prose, finish);
  if (finish === "error") return [...usageEvents(state), { type: "problem", problem: providerError({}) }];
  const calls = parts.filter(({ kind }) => kind === "call");
  const half = calls.find((call) => call.name === "" || (finish === "" && !isWhole(call.text)));
  if (half !== undefined)
    return [
      ...itemEvents(prose),
      ...usageEvents(state),
      { type: "problem", problem: { kind: "half_call", tool: half.name } },
    ];
  const items = itemEvents([...prose, ...calls]);
  const answered = calls.length > 0 || prose.some(({ kind }) => kind === "text");
  if (!answered) return [...items, ...usageEvents(state), { type: "problem", problem: { kind: "empty" } }];
  return [...items, ...usageEvents(state), { type: "completed", skipped: state.skipped }];
}

/** Words count, and calls whose arguments can be read: half of a JSON object never can. */
function endedEarly(state: ChatState, prose: readonly Part[], reason: string): readonly WireEvent[] {
  const early = { kind: "incomplete", reason } as const;
  const calls = state.parts.filter(
    ({ kind, name, text }) => kind === "call" && name !== "" && jsonObject(text) !== undefined,
  );
  const events = [...itemEvents([...prose, ...calls]), ...usageEvents(state)];
  const answered = calls.length > 0 || prose.some(({ kind }) => kind === "text");
  if (!answered) return [...events, { type: "problem", problem: early }];
  return [...events, { type: "completed", skipped: state.skipped, early }];
}

/** Many servers end without `[DONE]`; after a finish reason the answer is whole all the same. */
function end(state: ChatState): readonly WireEvent[] {
  if (state.ended) return [];
  if (state.finish !== "") return conclude(state);
  const unreadable = state.advanced === 0 && state.skipped > 0;
  return [
    {
      type: "problem",
      problem: unreadable ? { kind: "unreadable", what: "frames Talaria cannot read" } : { kind: "cut" },
    },
  ];
}

/** One JSON answer is played as the chunk it stands for, so that there is one set of rules. */
function whole(answer: unknown): readonly WireEvent[] {
  const { choices, usage } = fieldsOf(answer);
  if (isError(fieldsOf(answer))) return [{ type: "problem", problem: providerError(answer) }];
  const choice = fieldsOf(listOf(choices)[0]);
  if (!("message" in choice))
    return [{ type: "problem", problem: { kind: "unreadable", what: "JSON without a message" } }];
  const message = fieldsOf(choice["message"]);
  const calls = listOf(message["tool_calls"]).map((call, index) => ({ index, ...fieldsOf(call) }));
  const delta = { ...message, tool_calls: calls };
  const finish_reason = textOf(choice["finish_reason"]) || "stop";
  const [state, events] = apply(start, { choices: [{ delta, finish_reason }], usage });
  return state.ended ? events : conclude(state);
}

const isError = ({ error, object }: Fields): boolean =>
  object === "error" || (error !== undefined && error !== null);

const tooMany: WireEvent = { type: "problem", problem: { kind: "too_many", items: mostItems } };

const isWhole = (text: string): boolean => isBlank(text) || jsonObject(text) !== undefined;

const providerError = (error: unknown) => ({ kind: "provider_error", error }) as const;

const itemEvents = (parts: readonly Part[]): readonly WireEvent[] =>
  parts.map((part) => ({ type: "item", item: finished(part) }));

function finished(part: Part): ModelItem {
  const { kind, item, text, name } = part;
  if (kind !== "call") return { kind, item, text };
  return { kind, item, callId: part.id || `call_${item}`, name, arguments: isBlank(text) ? "{}" : text };
}

const isUsage = (usage: unknown): boolean => usage !== undefined && usage !== null;

function readUsage(usage: unknown): ModelUsage {
  const { prompt_tokens, prompt_tokens_details, completion_tokens, completion_tokens_details } =
    fieldsOf(usage);
  const cached = fieldsOf(prompt_tokens_details)["cached_tokens"];
  const reasoning = fieldsOf(completion_tokens_details)["reasoning_tokens"];
  return usageOf(prompt_tokens, cached, completion_tokens, reasoning);
}

const usageEvents = ({ usage }: ChatState): readonly WireEvent[] =>
  usage === undefined ? [] : [{ type: "usage", ...usage }];

const skip = (state: ChatState): Next => [{ ...state, skipped: state.skipped + 1 }, []];
