import type { Hono } from "hono";
import { z } from "zod";
import type { Failure } from "../../../core/failure.ts";
import type { TurnChoices } from "../../../core/host.ts";
import type { InboxId } from "../../../core/ids.ts";
import { efforts } from "../../../core/session.ts";
import { jsonBody } from "../body.ts";
import { answered, unsupported } from "../failures.ts";
import { frame, streamed } from "../sse.ts";
import type { Behind, Env } from "../visit.ts";
import { ended, leaving, nameWithoutEffect, noWords, sendTo, tokensOf, wellEnded } from "./answer.ts";
import { conversationOf, idFor, inboxOf } from "./conversation.ts";
import { checkFields, choosesNone, outputSchema, parsed, unreadIn, wantsNoTools } from "./fields.ts";
import { chosenModel } from "./models.ts";
import { unkept } from "./promised.ts";
import type { End, Run } from "./run.ts";
import { type Said, type SaidMessage, content, saidIn } from "./said.ts";
import { namedRequest } from "./same-request.ts";

const item = z.looseObject({ type: z.string().optional(), role: z.string().optional(), content });
const format = z.looseObject({
  type: z.enum(["text", "json_schema"]),
  schema: z.json().optional(),
});

const request = z.looseObject({
  model: z.string(),
  input: z.union([z.string().min(1), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({}).nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  text: z.looseObject({ format: format.optional() }).nullish(),
  reasoning: z.looseObject({ effort: z.enum(efforts).nullish() }).nullish(),
  on_disconnect: z.enum(["detach", "stop"]).nullish(),
});

export const responseFields = Object.keys(request.shape);

/** `POST /v1/responses`, and what became of one. */
export function responseRoutes(app: Hono<Env>, behind: Behind): void {
  app.post("/v1/responses", async (c) => {
    const raw = await jsonBody(c, behind.http.settings.bodyBytes);
    const body = parsed(request, raw);
    nameWithoutEffect(c, unreadBy(body));
    const noTools = [wantsNoTools(body.tools), choosesNone(body.tool_choice)].some(Boolean);
    const shape = body.text?.format;
    const effort = body.reasoning?.effort ?? undefined;
    const choices: TurnChoices = {
      ...(await chosenModel(c.get("client"), body.model, behind)),
      ...(noTools ? { tools: false } : {}),
      ...(shape?.type === "json_schema" ? outputSchema("text.format", shape.schema) : {}),
      ...(effort === undefined ? {} : { effort }),
    };
    const said = saidBy(body);
    const previous = body.previous_response_id ?? undefined;
    const named = typeof body.conversation === "object" ? body.conversation?.id : body.conversation;
    const naming = {
      ...(previous === undefined ? {} : { previous }),
      ...(named === undefined ? {} : { conversation: named }),
    };
    const run = await sendTo(c, behind, () => conversationOf(c, behind, said, naming), choices, {
      request: await namedRequest(c, behind, raw),
    });
    const made = response(run.inbox, body.model, behind.clock.now(), previous);
    if (body.stream === true)
      return streamed(
        c,
        events(run, choices, made),
        behind.clock,
        leaving(c, run, body.on_disconnect === "stop"),
      );
    return c.json(made("completed", await ended(c, run, choices, body.on_disconnect === "stop")));
  });

  app.delete("/v1/responses/:id", async (c) => {
    const id = c.req.param("id");
    await c.get("client").call("inputs.delete", { inbox: inboxOf(id, "resp_") });
    return c.json({ id, object: "response", deleted: true });
  });

  app.get("/v1/responses/:id", async (c) => {
    const [asked] = Object.entries(c.req.query()).filter(([, value]) => value !== "false");
    if (asked !== undefined)
      throw unsupported(asked[0].slice(0, 60), "An answer is read again whole.", "Leave it out.");
    const inbox = inboxOf(c.req.param("id"), "resp_");
    const { receivedAt, ran } = await c.get("client").call("inputs.get", { inbox });
    const made = response(inbox, ran?.model ?? "talaria", receivedAt);
    if (ran === undefined || ran.state === "open") return c.json(made("in_progress", undefined));
    const end = await c.get("client").call("turns.wait", { inbox });
    const isDone = end?.outcome === "done" || end?.outcome === "unconfirmed";
    const kept = { access: behind.http.access, account: c.get("visitor").id };
    const why = isDone ? await unkept(kept, inbox, end.text) : undefined;
    if (why !== undefined) return c.json({ ...made("failed", end), error: errorOf(why) });
    return c.json(made(isDone ? "completed" : "failed", end));
  });
}

function unreadBy(body: z.infer<typeof request>): readonly string[] {
  const { text, input } = body;
  const items = typeof input === "string" ? [] : input;
  const thoughts = items.filter(({ type }) => type === "reasoning");
  return [
    ...checkFields(body, responseFields),
    ...checkFields(body.stream_options, [], "stream_options."),
    ...checkFields(text, ["format"], "text."),
    ...checkFields(text?.format, ["type", "schema", "strict"], "text.format."),
    ...checkFields(body.reasoning, ["effort"], "reasoning."),
    ...(thoughts.length > 0 ? ["input.reasoning"] : []),
    ...unreadIn(
      items.filter((one) => !thoughts.includes(one)),
      "input",
    ),
  ];
}

function saidBy({ input, instructions }: z.infer<typeof request>): Said {
  const messages = typeof input === "string" ? [{ role: "user", content: input }] : input.flatMap(messageOf);
  return saidIn(messages, "input", instructions ?? "");
}

/** What other models have done in a conversation that comes here is told as well; what they thought is not. */
function messageOf({ type = "message", role, content: said, ...rest }: z.infer<typeof item>): SaidMessage[] {
  if (type === "reasoning") return [];
  if (type === "message" && role !== undefined) return [{ role, content: said }];
  const { name, arguments: given, output } = rest;
  if (type === "function_call" && typeof name === "string" && typeof given === "string")
    return [{ role: "assistant", tool_calls: [{ function: { name, arguments: given } }] }];
  if (type === "function_call_output") return [{ role: "tool", content: parsed(content, output) }];
  throw unsupported("input", `Input of the type ${type.slice(0, 40)} is not supported.`, "Send messages.");
}

type Status = "in_progress" | "completed" | "failed";
type Made = (status: Status, end: End | undefined, text?: string) => Readonly<Record<string, unknown>>;

const response = (inbox: InboxId, model: string, at: number, previous?: string): Made => {
  const head = { id: idFor("resp_", inbox), object: "response", created_at: Math.floor(at / 1000), model };
  return (status, end, text = end?.text === "" ? noWords : end?.text) => {
    const { input, cached, output, reasoning, total } = tokensOf(end?.usage);
    const isOver = status === "completed";
    return {
      ...head,
      status,
      error: end?.fault === undefined ? null : errorOf(end.fault),
      incomplete_details: null,
      instructions: null,
      metadata: {},
      output: isOver ? [messageItem(inbox, text ?? "")] : [],
      parallel_tool_calls: false,
      previous_response_id: previous ?? null,
      temperature: null,
      tool_choice: "auto",
      tools: [],
      top_p: null,
      usage: isOver
        ? {
            input_tokens: input,
            input_tokens_details: { cached_tokens: cached },
            output_tokens: output,
            output_tokens_details: { reasoning_tokens: reasoning },
            total_tokens: total,
          }
        : null,
    };
  };
};

const errorOf = ({ message, next }: Pick<Failure, "message" | "next">) => ({
  code: "server_error",
  message: `${message} ${next}`,
});

const messageItem = (inbox: InboxId, text: string, status: Status = "completed") => ({
  id: idFor("msg_", inbox),
  type: "message",
  role: "assistant",
  status,
  content: status === "completed" ? [part(text)] : [],
});

const part = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

/** Items in order, and exactly one end. */
async function* events(run: Run, choices: TurnChoices, made: Made): AsyncGenerator<string, void, void> {
  let number = 0;
  const event = (type: string, fields: object): string =>
    frame({ type, sequence_number: number++, ...fields }, { event: type });
  const place = { item_id: idFor("msg_", run.inbox), output_index: 0, content_index: 0 };
  yield event("response.created", { response: made("in_progress", undefined) });
  yield event("response.in_progress", { response: made("in_progress", undefined) });
  yield event("response.output_item.added", {
    output_index: 0,
    item: messageItem(run.inbox, "", "in_progress"),
  });
  yield event("response.content_part.added", { ...place, part: part("") });
  let text = "";
  try {
    const pieces = run.pieces();
    let next = await pieces.next();
    for (; next.done !== true; next = await pieces.next()) {
      if (next.value.of !== "text") continue;
      text += next.value.text;
      yield event("response.output_text.delta", { ...place, delta: next.value.text, logprobs: [] });
    }
    const end = wellEnded(next.value, choices);
    if (text === "") {
      text = end.text === "" ? noWords : end.text;
      yield event("response.output_text.delta", { ...place, delta: text, logprobs: [] });
    }
    yield event("response.output_text.done", { ...place, text, logprobs: [] });
    yield event("response.content_part.done", { ...place, part: part(text) });
    yield event("response.output_item.done", { output_index: 0, item: messageItem(run.inbox, text) });
    yield event("response.completed", { response: made("completed", end, text) });
  } catch (error) {
    const { failure } = answered(error);
    yield event("response.failed", { response: { ...made("failed", undefined), error: errorOf(failure) } });
  }
}
