import type { Hono } from "hono";
import { z } from "zod";
import { efforts } from "../../../core/session.ts";
import type { TurnChoices } from "../../../core/host.ts";
import { jsonBody } from "../body.ts";
import { errorFrame, frame, streamed } from "../sse.ts";
import type { Behind, Env } from "../visit.ts";
import { ended, leaving, nameWithoutEffect, noWords, sendTo, tokensOf, wellEnded } from "./answer.ts";
import { conversationOf, idFor } from "./conversation.ts";
import { checkFields, choosesNone, outputSchema, parsed, unreadIn, wantsNoTools } from "./fields.ts";
import { isHelperPrompt } from "./helper-prompts.ts";
import { chosenModel } from "./models.ts";
import type { End, Run } from "./run.ts";
import { message, saidIn } from "./said.ts";
import { namedRequest } from "./same-request.ts";

const format = z.looseObject({
  type: z.enum(["text", "json_schema"]),
  json_schema: z.looseObject({ schema: z.json().optional() }).nullish(),
});

const request = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  response_format: format.nullish(),
  reasoning_effort: z.enum(efforts).nullish(),
  on_disconnect: z.enum(["detach", "stop"]).nullish(),
});

export const chatFields = Object.keys(request.shape);

/** `POST /v1/chat/completions`. */
export function chatRoutes(app: Hono<Env>, behind: Behind): void {
  app.post("/v1/chat/completions", async (c) => {
    const raw = await jsonBody(c, behind.http.settings.bodyBytes);
    const body = parsed(request, raw);
    nameWithoutEffect(c, unreadBy(body));
    const said = saidIn(body.messages, "messages");
    const isHelper = isHelperPrompt(said);
    const noTools = [wantsNoTools(body.tools), choosesNone(body.tool_choice), isHelper].some(Boolean);
    const shape = body.response_format;
    const small =
      isHelper && behind.http.smallModel !== undefined ? { model: behind.http.smallModel } : undefined;
    const choices: TurnChoices = {
      ...(small ?? (await chosenModel(c.get("client"), body.model, behind))),
      ...(noTools ? { tools: false } : {}),
      ...(isHelper ? { memory: false, context: false } : {}),
      ...(shape?.type === "json_schema" ? outputSchema("response_format", shape.json_schema?.schema) : {}),
      ...(body.reasoning_effort === null || body.reasoning_effort === undefined
        ? {}
        : { effort: body.reasoning_effort }),
    };
    const naming = isHelper ? { mark: "hidden" as const } : { wholeHistory: true };
    const run = await sendTo(c, behind, () => conversationOf(c, behind, said, naming), choices, {
      request: await namedRequest(c, behind, raw),
    });
    const head = {
      id: idFor("chatcmpl-", run.inbox),
      created: Math.floor(behind.clock.now() / 1000),
      model: body.model,
    };
    if (body.stream !== true)
      return c.json(completion(head, await ended(c, run, choices, body.on_disconnect === "stop")));
    const frames = chunks(head, run, choices, body.stream_options?.include_usage === true);
    return streamed(c, frames, behind.clock, leaving(c, run, body.on_disconnect === "stop"));
  });
}

function unreadBy(body: z.infer<typeof request>): readonly string[] {
  const { response_format: shape, stream_options: options, messages } = body;
  const schema = shape?.type === "json_schema" ? shape.json_schema : undefined;
  return [
    ...checkFields(body, chatFields),
    ...checkFields(options, ["include_usage"], "stream_options."),
    ...(body.stream !== true && options?.include_usage === true ? ["stream_options.include_usage"] : []),
    ...checkFields(shape, ["type", "json_schema"], "response_format."),
    ...checkFields(schema, ["schema", "strict"], "response_format.json_schema."),
    ...unreadIn(messages, "messages"),
  ];
}

type Head = { readonly id: string; readonly created: number; readonly model: string };

function usageOf(end: NonNullable<End>) {
  const { input, cached, output, reasoning, total } = tokensOf(end.usage);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

const completion = (head: Head, end: NonNullable<End>) => ({
  ...head,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: end.text === "" ? noWords : end.text, refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: usageOf(end),
});

/** First who speaks, then the words, then how it ended; usage if it was asked for. */
async function* chunks(
  head: Head,
  run: Run,
  choices: TurnChoices,
  withUsage: boolean,
): AsyncGenerator<string, void, void> {
  const usage = withUsage ? { usage: null } : {};
  const chunk = (delta: object, reason: string | null = null): string =>
    frame({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      ...usage,
    });
  try {
    yield chunk({ role: "assistant", content: "" });
    const pieces = run.pieces();
    let any = false;
    let next = await pieces.next();
    for (; next.done !== true; next = await pieces.next()) {
      const { of, text } = next.value;
      any ||= of === "text";
      yield chunk(of === "text" ? { content: text } : { reasoning_content: text });
    }
    const end = wellEnded(next.value, choices);
    if (!any) yield chunk({ content: end.text === "" ? noWords : end.text });
    yield chunk({}, "stop");
    if (withUsage)
      yield frame({ ...head, object: "chat.completion.chunk", choices: [], usage: usageOf(end) });
    yield "data: [DONE]\n\n";
  } catch (error) {
    yield errorFrame(error);
  }
}
