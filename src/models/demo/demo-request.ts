import { type Fields, fieldsOf, listOf } from "../../core/json.ts";
import { textOf } from "../wire.ts";

/** What the demo model understands of a request, whichever protocol it came by. */
export type DemoRequest = {
  readonly model: string;
  readonly streamed: boolean;
  readonly tools: readonly OfferedTool[];
  /** What the person said, oldest first; the last one is what is to be answered. */
  readonly userTexts: readonly string[];
  /** System instructions, with all that is known from earlier conversations. */
  readonly instructions: string;
  /** What tools gave back since then. */
  readonly results: readonly ToolOutput[];
  /** Names of the fields when the answer must be JSON; none when it may be text. */
  readonly wantedFields?: readonly string[];
};

export type OfferedTool = {
  readonly name: string;
  readonly namespace?: string;
  readonly custom: boolean;
  /** Names of its arguments. */
  readonly fields: readonly string[];
};

export type ToolOutput = { readonly tool: string; readonly output: string };

/** From the body of `POST /responses`. */
export function fromResponses(body: Fields): DemoRequest {
  const input = body["input"];
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input).map(fieldsOf);
  const added = items.flatMap((item) => (item["type"] === "additional_tools" ? listOf(item["tools"]) : []));
  const calls = items.filter((item) => textOf(item["name"]) !== "");
  const names = new Map(calls.map((call) => [textOf(call["call_id"]), textOf(call["name"])] as const));
  const turns = items.map((item): Turn | undefined => {
    if (item["role"] === "user") return { user: contentText(item["content"]) };
    if (!textOf(item["type"]).endsWith("call_output")) return undefined;
    return { tool: names.get(textOf(item["call_id"])) ?? "", output: contentText(item["output"]) };
  });
  return demoRequest(body, [...listOf(body["tools"]), ...added], turns, [
    textOf(body["instructions"]),
    ...instructionsIn(items),
  ]);
}

/** From the body of `POST /chat/completions`. */
export function fromChat(body: Fields): DemoRequest {
  const messages = listOf(body["messages"]).map(fieldsOf);
  const calls = messages.flatMap((message) => listOf(message["tool_calls"]).map(fieldsOf));
  const names = new Map(
    calls.map((call) => [textOf(call["id"]), textOf(fieldsOf(call["function"])["name"])] as const),
  );
  const turns = messages.map((message): Turn | undefined => {
    if (message["role"] === "user") return { user: contentText(message["content"]) };
    if (message["role"] !== "tool") return undefined;
    return {
      tool: names.get(textOf(message["tool_call_id"])) ?? "",
      output: contentText(message["content"]),
    };
  });
  return demoRequest(body, listOf(body["tools"]), turns, instructionsIn(messages));
}

const instructionsIn = (messages: readonly Fields[]): readonly string[] =>
  messages.flatMap(({ role, content }) =>
    role === "system" || role === "developer" ? [contentText(content)] : [],
  );

type Turn = { readonly user: string } | ToolOutput;

function demoRequest(
  body: Fields,
  tools: readonly unknown[],
  turns: readonly (Turn | undefined)[],
  instructions: readonly string[],
): DemoRequest {
  const real = turns
    .filter((turn) => turn !== undefined)
    .filter((turn) => !("user" in turn && isMachineText(turn.user)));
  const lastUser = real.findLastIndex((turn) => "user" in turn);
  return {
    model: textOf(body["model"]) || "demo",
    streamed: body["stream"] === true,
    tools: tools.flatMap((tool) => offered(fieldsOf(tool))),
    userTexts: real.flatMap((turn) => ("user" in turn ? [turn.user] : [])),
    instructions: instructions.join("\n\n"),
    results: real.slice(lastUser + 1).flatMap((turn) => ("tool" in turn ? [turn] : [])),
    wantedFields: Object.keys(fieldsOf(schemaOf(body)["properties"])),
  };
}

/** Where each protocol has the schema of the answer. */
const schemaOf = (body: Fields): Fields =>
  fieldsOf(
    fieldsOf(fieldsOf(body["text"])["format"])["schema"] ??
      fieldsOf(fieldsOf(body["response_format"])["json_schema"])["schema"],
  );

/** Runtimes put context into user messages: `<environment_context>…`, `<turn_aborted>…`, the text of AGENTS.md. */
const isMachineText = (text: string): boolean =>
  /^\s*<([a-z][\w-]*)\b[^>]*>[\s\S]*<\/\1>\s*$/i.test(text) || /^\s*# AGENTS\.md instructions/.test(text);

function offered(tool: Fields, namespace?: string): readonly OfferedTool[] {
  const name = textOf(tool["name"]);
  if (tool["type"] === "namespace") {
    const inner = name === "functions" ? undefined : name;
    return listOf(tool["tools"]).flatMap((one) => offered(fieldsOf(one), inner));
  }
  const within = namespace === undefined ? {} : { namespace };
  if (tool["type"] === "custom")
    return [{ name, ...within, custom: true, fields: [] }, ...nested(textOf(tool["description"]))];
  if (tool["type"] !== "function") return [];
  const fn = tool["function"] === undefined ? tool : fieldsOf(tool["function"]);
  const fields = Object.keys(fieldsOf(fieldsOf(fn["parameters"])["properties"]));
  return [{ name: textOf(fn["name"]), ...within, custom: false, fields }];
}

/** In its code mode codex only describes most tools, under headings within another one. They can be called all the same. */
const nested = (description: string): readonly OfferedTool[] =>
  [...description.matchAll(/^### `(?:(?<namespace>\w+?)__)?(?<name>\w+)`$/gm)].map(({ groups }) => ({
    name: groups?.["name"] ?? "",
    ...(groups?.["namespace"] === undefined ? {} : { namespace: groups["namespace"] }),
    custom: false,
    fields: [],
  }));

const contentText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : listOf(content)
        .map((part) => textOf(fieldsOf(part)["text"]))
        .filter((text) => text !== "")
        .join("\n");
