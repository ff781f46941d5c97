import type { z } from "zod";
import { whyUncheckable } from "./answer-schema.ts";
import { closestIssue } from "../../../operations/closest-issue.ts";
import { whyNoSchema } from "../../../core/json-schema.ts";
import type { Json } from "../../../core/json.ts";
import { HttpFailure, unsupported } from "../failures.ts";

/** What nearly every client sends and nothing here depends on: named in a header of the answer, never passed over in silence. */
export const withoutEffect: ReadonlySet<string> = new Set(
  [
    "temperature top_p top_k min_p presence_penalty frequency_penalty seed max_tokens max_completion_tokens max_output_tokens",
    "user safety_identifier metadata store service_tier prompt_cache_key prompt_cache_options prompt_cache_retention truncation",
    "parallel_tool_calls verbosity include stream_options.include_obfuscation text.verbosity",
    "reasoning.summary reasoning.generate_summary reasoning.context",
    "response_format.json_schema.name response_format.json_schema.description text.format.name text.format.description",
  ].flatMap((names) => names.split(" ")),
);

type Body = Readonly<Record<string, unknown>>;

/**
 * Every field is honoured, or named as one without effect, or refused. `honoured`: those that the request's own schema
 * reads; `at`: where in the request this stands. Gives the names of those without effect.
 */
export function checkFields(
  body: Body | null | undefined,
  honoured: readonly string[],
  at = "",
): readonly string[] {
  const given = Object.entries(body ?? {}).flatMap(([name, value]) =>
    isDefault(name, value) || honoured.includes(name) ? [] : [`${at}${name}`],
  );
  for (const name of given)
    if (!withoutEffect.has(name))
      throw unsupported(name, `The field ${name.slice(0, 60)} is not supported.`, "Leave it out.");
  return given;
}

const readOfMessage =
  "role content type tool_calls tool_call_id name arguments output function_call call_id".split(" ");
const readOfPart = ["type", "text", "image_url"];

/** What of messages nobody reads. A client's own marks on them harm nobody, so they are named, whatever they are. */
export function unreadIn(messages: readonly Body[], at: string): readonly string[] {
  const names = messages.flatMap((message) => {
    const { content } = message;
    const parts = Array.isArray(content) ? (content as readonly Body[]) : [];
    const pictures = parts.flatMap(({ image_url: url }) => (typeof url === "object" ? [url as Body] : []));
    return [
      ...unread(message, readOfMessage, `${at}.`),
      ...parts.flatMap((part) => unread(part, readOfPart, `${at}.content.`)),
      ...pictures.flatMap((picture) => unread(picture, ["url"], `${at}.content.image_url.`)),
      // Who speaks is told by their role alone.
      ...(message["role"] !== undefined && typeof message["name"] === "string" ? [`${at}.name`] : []),
    ];
  });
  return [...new Set(names)];
}

const unread = (body: Body | null, read: readonly string[], at: string): readonly string[] =>
  Object.entries(body ?? {}).flatMap(([name, value]) =>
    read.includes(name) || isDefault(name, value)
      ? []
      : [`${at}${name.slice(0, 60).replaceAll(/[^\w-]/g, "?")}`],
  );

/** It says what holds anyway. */
function isDefault(name: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value) && value.length === 0)
    return name !== "tools" && name !== "messages" && name !== "input";
  const usual = defaults[name];
  return usual !== undefined && JSON.stringify(usual) === JSON.stringify(value);
}

const defaults: Body = {
  n: 1,
  logprobs: false,
  top_logprobs: 0,
  echo: false,
  background: false,
  store: true,
  modalities: ["text"],
  logit_bias: {},
  metadata: {},
  function_call: "none",
};

/** `[]`: no tools. Others would be the client's own, which nobody here could run. */
export function wantsNoTools(tools: readonly unknown[] | null | undefined): boolean {
  if (tools === undefined || tools === null) return false;
  if (tools.length === 0) return true;
  throw unsupported(
    "tools",
    "Tools of the client are not supported: Talaria runs its own.",
    "Leave `tools` out, or send [] for a turn without any.",
  );
}

/** `none` is a turn without tools; a client cannot choose one of ours. */
export function choosesNone(choice: unknown): boolean {
  if (choice === undefined || choice === null || choice === "auto") return false;
  if (choice === "none") return true;
  throw unsupported("tool_choice", "A tool cannot be demanded.", "Use auto or none.");
}

/** A body of this form, or what is wrong with it first. */
export function parsed<Form extends z.ZodType>(form: Form, body: unknown): z.infer<Form> {
  const result = form.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === "unrecognized_keys") {
    const name = [...issue.path, issue.keys[0] ?? ""].join(".").slice(0, 60);
    throw unsupported(name, `The field ${name} is not supported.`, "Leave it out.");
  }
  const first = issue && closestIssue(issue);
  throw wrong(first?.path.join(".") || "body", first?.message ?? "The request has another form.");
}

/** What an answer has to look like. */
export function outputSchema(param: string, schema: unknown): { readonly outputSchema: Json } {
  const why = whyNoSchema(schema);
  if (why !== undefined) throw wrong(param, `This is no JSON Schema: ${why}.`);
  const unchecked = whyUncheckable(schema);
  if (unchecked !== undefined)
    throw unsupported(param, `Answers cannot be held to this schema: ${unchecked}.`, "Leave that out of it.");
  return { outputSchema: schema as Json };
}

export const wrong = (param: string, message: string): HttpFailure =>
  new HttpFailure(400, "usage", message, "docs/user/api.md has what there is.", { param });
