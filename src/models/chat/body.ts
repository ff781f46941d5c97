import type { Json } from "../../core/json.ts";
import type { InputPart, Message } from "../../core/messages.ts";
import type { ModelRequest } from "../model.ts";
import { wireId, wireName } from "../wire-names.ts";

/** The JSON of `POST /chat/completions`, without fields that only some servers take: many refuse unknown ones. */
export function chatBody(request: ModelRequest, streamed = true): { readonly [key: string]: Json } {
  const { effort, outputSchema } = request;
  const system = request.instructions === "" ? [] : [{ role: "system", content: request.instructions }];
  return {
    model: request.model,
    messages: [...system, ...request.messages.map(chatMessage)],
    ...(request.tools.length === 0 ? {} : { tools: tools(request) }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(outputSchema === undefined ? {} : { response_format: answerFormat(outputSchema) }),
    stream: streamed,
    ...(streamed ? { stream_options: { include_usage: true } } : {}),
  };
}

function chatMessage(message: Message): Json {
  if (message.role === "user") return { role: "user", content: userContent(message.content) };
  if (message.role === "tool")
    return { role: "tool", tool_call_id: wireId(message.toolCallId), content: message.content };
  const calls = message.toolCalls ?? [];
  if (calls.length === 0) return { role: "assistant", content: message.content };
  return {
    role: "assistant",
    content: message.content === "" ? null : message.content,
    tool_calls: calls.map((call) => ({
      id: wireId(call.id),
      type: "function",
      function: { name: wireName(call.name), arguments: call.arguments },
    })),
  };
}

const userContent = (content: string | readonly InputPart[]): Json =>
  typeof content === "string" ? content : content.map(contentPart);

const contentPart = (part: InputPart): Json =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.base64}` } };

const tools = (request: ModelRequest): readonly Json[] =>
  request.tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name: wireName(name), description, parameters },
  }));

const answerFormat = (schema: Json): Json => ({
  type: "json_schema",
  json_schema: { name: "answer", schema, strict: true },
});
