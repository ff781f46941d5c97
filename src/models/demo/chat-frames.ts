import { malformed } from "./responses-frames.ts";
import {
  pieces,
  reportedTokens,
  type ReplyContext,
  type StreamStep,
  type Content,
  type Reply,
} from "./reply.ts";

/** A reply as the chunks of Chat Completions. Lazily, so that a huge one need not exist all at once. */
export function* chatFrames(reply: Reply, context: ReplyContext): Generator<StreamStep, void, void> {
  const chunk = (delta: object, finish: string | null = null): StreamStep =>
    step({
      ...envelope(context, "chat.completion.chunk"),
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const first = reply.delivery?.first;
  yield first === undefined ? chunk({ role: "assistant", content: "" }) : step({ type: first });
  let calls = 0;
  for (const part of reply.content) {
    if (part.kind === "hang") {
      yield "hang";
      return;
    }
    if (part.kind === "error") {
      yield step({ error: { code: part.code, message: part.message } });
      return;
    }
    if (part.kind === "malformed") yield* malformed;
    for (const delta of deltas(part, calls, context)) yield chunk(delta);
    if (isCall(part)) calls += 1;
  }
  if (reply.delivery?.noCompleted === true) return;
  yield chunk({}, calls > 0 ? "tool_calls" : "stop");
  const last = { ...envelope(context, "chat.completion.chunk"), choices: [], usage: usage(reply, context) };
  yield { ...step(last), tokens: reportedTokens(reply, context) };
  yield { frame: "data: [DONE]\n\n" };
}

/** A reply as the one JSON text of a request that does not stream. */
export function chatWhole(reply: Reply, context: ReplyContext): object {
  const tool_calls = reply.content.filter(isCall).map((part, at) => wholeCall(part, at, context));
  const reasoning_content = reply.content.flatMap((part) =>
    part.kind === "reasoning" ? [thinking(part)] : [],
  );
  const content = reply.content.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const message = {
    role: "assistant",
    content: content.length === 0 ? null : content.join(""),
    ...(reasoning_content.length === 0 ? {} : { reasoning_content: reasoning_content.join("\n\n") }),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
  const finish_reason = tool_calls.length === 0 ? "stop" : "tool_calls";
  return {
    ...envelope(context, "chat.completion"),
    choices: [{ index: 0, message, finish_reason }],
    usage: usage(reply, context),
  };
}

const step = (fields: object): Exclude<StreamStep, "hang"> => ({
  frame: `data: ${JSON.stringify(fields)}\n\n`,
});

const envelope = (context: ReplyContext, object: string): object => ({
  id: `chatcmpl_${context.id}`,
  object,
  created: 0,
  model: context.model,
});

function* deltas(part: Content, at: number, context: ReplyContext): Generator<object, void, void> {
  if (part.kind === "text") for (const content of pieces(part.text, part.chunks)) yield { content };
  if (part.kind === "reasoning")
    for (const reasoning_content of pieces(thinking(part))) yield { reasoning_content };
  if (!isCall(part)) return;
  const { function: fn, ...call } = wholeCall(part, at, context);
  yield { tool_calls: [{ index: at, ...call, function: { name: fn.name, arguments: "" } }] };
  for (const piece of pieces(fn.arguments, 3))
    yield { tool_calls: [{ index: at, function: { arguments: piece } }] };
}

type AnyCall = Extract<Content, { kind: "call" | "custom" }>;

const isCall = (part: Content): part is AnyCall => part.kind === "call" || part.kind === "custom";

/** This protocol has no custom tools: the free text becomes the argument `input`. */
const wholeCall = (part: AnyCall, at: number, context: ReplyContext) => ({
  id: `call_${context.id}_${at}`,
  type: "function",
  function: {
    name: part.tool,
    arguments: part.kind === "call" ? part.args : JSON.stringify({ input: part.input }),
  },
});

const thinking = (part: Extract<Content, { kind: "reasoning" }>): string =>
  [...part.summary, part.raw].filter((text) => text !== "").join("\n\n");

function usage(reply: Reply, context: ReplyContext): object {
  const { input: prompt_tokens, output: completion_tokens } = reportedTokens(reply, context);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
