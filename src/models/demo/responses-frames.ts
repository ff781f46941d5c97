import {
  pieces,
  reportedTokens,
  type ReplyContext,
  type StreamStep,
  type Content,
  type Reply,
} from "./reply.ts";

/** A reply as the frames of the Responses API. Lazily, so that a huge one need not exist all at once. */
export function* responsesFrames(reply: Reply, context: ReplyContext): Generator<StreamStep, void, void> {
  let sequence = 0;
  const step = (type: string, fields: object): Exclude<StreamStep, "hang"> => ({
    frame: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: sequence++ })}\n\n`,
  });
  const first = reply.delivery?.first;
  yield step(first ?? "response.created", { response: envelope(context, "in_progress") });
  for (const [index, part] of reply.content.entries()) {
    if (part.kind === "hang") {
      yield "hang";
      return;
    }
    if (part.kind === "error") {
      yield step("error", { code: part.code, message: part.message, param: null });
      return;
    }
    if (part.kind === "malformed") {
      yield* malformed;
      continue;
    }
    for (const { type, ...fields } of partFrames(part, index, context))
      yield step(type, { ...fields, output_index: index });
  }
  if (reply.delivery?.noCompleted === true) return;
  const last = step("response.completed", { response: responsesWhole(reply, context) });
  yield { ...last, tokens: reportedTokens(reply, context) };
}

/** A reply as the one JSON text of a request that does not stream. */
export function responsesWhole(reply: Reply, context: ReplyContext): object {
  const output = reply.content.flatMap((part, index) => item(part, index, context) ?? []);
  const { input, output: made } = reportedTokens(reply, context);
  return {
    ...envelope(context, "completed"),
    output,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: made,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + made,
    },
  };
}

export const malformed: readonly StreamStep[] = [
  { frame: "data: {not json\n\n" },
  { frame: "nonsense without a colon\n\n" },
  { frame: "event: response.output_text.delta\ndata: [1,2\n\n" },
];

const envelope = (context: ReplyContext, status: string): object => ({
  id: `resp_${context.id}`,
  object: "response",
  created_at: 0,
  status,
  model: context.model,
  output: [],
});

type Frame = { readonly type: string } & Readonly<Record<string, unknown>>;

function* partFrames(part: Content, index: number, context: ReplyContext): Generator<Frame, void, void> {
  const finished = item(part, index, context);
  if (finished === undefined) return;
  const item_id = finished["id"];
  yield { type: "response.output_item.added", item: { ...finished, ...opened(part) } };
  for (const frame of deltas(part)) yield { ...frame, item_id };
  yield { type: "response.output_item.done", item: finished };
}

function* deltas(part: Content): Generator<Frame, void, void> {
  if (part.kind === "text") {
    const content = { type: "output_text", annotations: [] };
    yield { type: "response.content_part.added", content_index: 0, part: { ...content, text: "" } };
    for (const delta of pieces(part.text, part.chunks))
      yield { type: "response.output_text.delta", content_index: 0, delta };
    yield { type: "response.output_text.done", content_index: 0, text: part.text };
    yield { type: "response.content_part.done", content_index: 0, part: { ...content, text: part.text } };
    return;
  }
  if (part.kind === "call") {
    for (const delta of pieces(part.args, 3)) yield { type: "response.function_call_arguments.delta", delta };
    yield { type: "response.function_call_arguments.done", arguments: part.args };
    return;
  }
  if (part.kind === "custom") {
    for (const delta of pieces(part.input, 3)) yield { type: "response.custom_tool_call_input.delta", delta };
    return;
  }
  if (part.kind !== "reasoning") return;
  for (const [summary_index, text] of part.summary.entries()) {
    const added = { summary_index, part: { type: "summary_text", text: "" } };
    yield { type: "response.reasoning_summary_part.added", ...added };
    for (const delta of pieces(text, 3))
      yield { type: "response.reasoning_summary_text.delta", summary_index, delta };
  }
  for (const delta of pieces(part.raw, 3))
    yield { type: "response.reasoning_text.delta", content_index: 0, delta };
}

type OutputItem = Readonly<Record<string, unknown>>;

/** An item that has just been announced: nothing in it yet. */
function opened(part: Content): OutputItem {
  if (part.kind === "text") return { status: "in_progress", content: [] };
  if (part.kind === "call") return { status: "in_progress", arguments: "" };
  if (part.kind === "custom") return { status: "in_progress", input: "" };
  if (part.kind === "search") return { status: "in_progress" };
  return { summary: [], content: [] };
}

function item(part: Content, index: number, context: ReplyContext): OutputItem | undefined {
  const own = `${context.id}_${index}`;
  const status = "completed";
  if (part.kind === "text") {
    const content = [{ type: "output_text", text: part.text, annotations: [] }];
    const phase = part.phase === undefined ? {} : { phase: part.phase };
    return { type: "message", id: `msg_${own}`, role: "assistant", status, content, ...phase };
  }
  if (part.kind === "call") {
    const namespace = part.namespace === undefined ? {} : { namespace: part.namespace };
    const call = { call_id: `call_${own}`, name: part.tool, ...namespace, arguments: part.args };
    return { type: "function_call", id: `fc_${own}`, status, ...call };
  }
  if (part.kind === "search") {
    const call = { call_id: `call_${own}`, execution: "client", arguments: { query: part.query } };
    return { type: "tool_search_call", id: `ts_${own}`, status, ...call };
  }
  if (part.kind === "custom") {
    const call = { call_id: `call_${own}`, name: part.tool, input: part.input };
    return { type: "custom_tool_call", id: `ctc_${own}`, status, ...call };
  }
  if (part.kind !== "reasoning") return undefined;
  const summary = part.summary.map((text) => ({ type: "summary_text", text }));
  const content = part.raw === "" ? {} : { content: [{ type: "reasoning_text", text: part.raw }] };
  return { type: "reasoning", id: `rs_${own}`, summary, ...content };
}
