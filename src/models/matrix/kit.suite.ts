import type { RawReply } from "../../../test/fakes/raw-provider.ts";
import type { Route } from "../model.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The same things said in the frames of one protocol. */
export type Kit = {
  readonly open: string;
  say(text: string): string;
  think(text: string): string;
  /** Announces call number n. */
  call(n: number, name?: string): string;
  args(n: number, piece: string): string;
  /** The whole call, finished as far as the protocol can say so. */
  callDone(n: number, args: string, name?: string): string;
  close(usage?: Fields): string;
  /** The last thing that matters; chat completions have an end after it. */
  readonly finish: string;
  /** An end that says no more than that. */
  readonly bareClose: string;
  error(error: Fields): string;
  /** The error as a part of the frame that carries it. */
  nested(error: Fields): string;
  failed(error: Fields): string;
  incomplete(reason: "length" | "filter"): string;
  prelude(type: string): string;
  whole(text: string): string;
};

const data = (fields: Fields): string => `data: ${JSON.stringify(fields)}\n\n`;

const event = (type: string, fields: Fields): string => `event: ${type}\n${data({ type, ...fields })}`;
const item = (n: number, name: string, args: string): Fields => ({
  output_index: 10 + n,
  item: { type: "function_call", id: `f${n}`, call_id: `c${n}`, name, arguments: args },
});

const responses: Kit = {
  open: event("response.created", { response: { id: "r" } }),
  say: (delta) => event("response.output_text.delta", { item_id: "m", output_index: 0, delta }),
  think: (delta) =>
    event("response.reasoning_summary_text.delta", {
      item_id: "r",
      output_index: 5,
      summary_index: 0,
      delta,
    }),
  call: (n, name = "t") => event("response.output_item.added", item(n, name, "")),
  args: (n, delta) => event("response.function_call_arguments.delta", { output_index: 10 + n, delta }),
  callDone: (n, args, name = "t") => event("response.output_item.done", item(n, name, args)),
  close: (usage) => event("response.completed", { response: { output: [], usage } }),
  finish: event("response.completed", {}),
  bareClose: event("response.completed", {}),
  error: (error) => event("error", error),
  nested: (error) => event("error", { error }),
  failed: (error) => event("response.failed", { response: { status: "failed", error } }),
  incomplete: (reason) =>
    event("response.incomplete", { response: { incomplete_details: { reason: reasons.responses[reason] } } }),
  prelude: (type) => event(type, {}),
  whole: (text) =>
    JSON.stringify({ output: [{ type: "message", id: "m", content: [{ type: "output_text", text }] }] }),
};

const choice = (delta: Fields, finish: string | null = null): string =>
  data({ choices: [{ index: 0, delta, finish_reason: finish }] });
const toolCalls = (call: Fields): string => choice({ tool_calls: [call] });
const over = "data: [DONE]\n\n";

const chat: Kit = {
  open: choice({ role: "assistant", content: "" }),
  say: (content) => choice({ content }),
  think: (text) => choice({ reasoning_content: text }),
  call: (n, name = "t") => toolCalls({ index: n, id: `c${n}`, function: { name, arguments: "" } }),
  args: (n, piece) => toolCalls({ index: n, function: { arguments: piece } }),
  callDone: (n, args, name = "t") =>
    toolCalls({ index: n, id: `c${n}`, function: { name, arguments: args } }),
  close: (usage) => choice({}, "stop") + (usage === undefined ? "" : data({ choices: [], usage })) + over,
  finish: choice({}, "stop"),
  bareClose: over,
  error: (error) => data({ error }),
  nested: (error) => `event: error\n${data({ error })}`,
  failed: (error) => data({ error, choices: [{ index: 0, delta: {}, finish_reason: "error" }] }),
  incomplete: (reason) => choice({}, reasons.chat[reason]) + over,
  prelude: (type) => data({ type }),
  whole: (text) => JSON.stringify({ choices: [{ message: { role: "assistant", content: text } }] }),
};

const reasons = {
  responses: { length: "max_output_tokens", filter: "content_filter" },
  chat: { length: "length", filter: "content_filter" },
} as const;

export const kits: Readonly<Record<Route["protocol"], Kit>> = { responses, chat };

/** A stream of these frames to its proper end. */
export const sse = (...frames: readonly string[]): RawReply => ({ body: frames.join("") });
/** The connection breaks after these. */
export const cut = (...frames: readonly string[]): RawReply => ({ body: frames.join(""), after: "reset" });
/** Silence after these. */
export const hang = (...frames: readonly string[]): RawReply => ({ body: frames.join(""), after: "hang" });

export const status = (
  code: number,
  error: Fields | string = {},
  headers: Readonly<Record<string, string>> = {},
): RawReply => ({
  status: code,
  headers: { "content-type": "application/json", ...headers },
  body: typeof error === "string" ? error : JSON.stringify({ error }),
});

export const good = (kit: Kit, text = "ok"): RawReply => sse(kit.open, kit.say(text), kit.close());
