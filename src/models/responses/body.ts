import type { Json } from "../../core/json.ts";
import type { InputPart, Message } from "../../core/messages.ts";
import type { ModelRequest } from "../model.ts";
import { wireId, wireName } from "../wire-names.ts";

/** The JSON of `POST /responses`. Nothing is kept on the provider's side: each request carries the whole history. */
export function responsesBody(request: ModelRequest, streamed = true): { readonly [key: string]: Json } {
  const { effort, cacheKey, outputSchema } = request;
  return {
    model: request.model,
    ...(request.instructions === "" ? {} : { instructions: request.instructions }),
    input: request.messages.flatMap((message, at) => [...sealedBefore(request, at), ...inputItems(message)]),
    ...(request.tools.length === 0 ? {} : { tools: tools(request), parallel_tool_calls: true }),
    ...(effort === undefined ? {} : { reasoning: { effort }, include: ["reasoning.encrypted_content"] }),
    ...(outputSchema === undefined ? {} : { text: { format: answerFormat(outputSchema) } }),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
    store: false,
    stream: streamed,
  };
}

const sealedBefore = (request: ModelRequest, at: number): readonly Json[] =>
  (request.sealed ?? []).flatMap(({ before, data }) => (before === at ? [data] : []));

/** One message as items of a request. */
export function inputItems(message: Message): readonly Json[] {
  if (message.role === "user")
    return [{ type: "message", role: "user", content: userContent(message.content) }];
  if (message.role === "tool")
    return [{ type: "function_call_output", call_id: wireId(message.toolCallId), output: message.content }];
  const text = { type: "output_text", text: message.content };
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: "function_call",
    call_id: wireId(call.id),
    name: wireName(call.name),
    arguments: call.arguments,
  }));
  return message.content === "" ? calls : [{ type: "message", role: "assistant", content: [text] }, ...calls];
}

const userContent = (content: string | readonly InputPart[]): readonly Json[] =>
  typeof content === "string" ? [{ type: "input_text", text: content }] : content.map(inputContent);

const inputContent = (part: InputPart): Json =>
  part.type === "text"
    ? { type: "input_text", text: part.text }
    : { type: "input_image", image_url: `data:${part.mediaType};base64,${part.base64}` };

const tools = (request: ModelRequest): readonly Json[] =>
  request.tools.map(({ name, description, parameters }) => ({
    type: "function",
    name: wireName(name),
    description,
    parameters,
    strict: false,
  }));

const answerFormat = (schema: Json): Json => ({ type: "json_schema", name: "answer", schema, strict: true });
