import { type Fields, fieldsOf, listOf, numberIn, textIn, textsOf } from "./fields.ts";

/** What the model says. */
export type MessageItem = {
  readonly type: "agentMessage";
  readonly text: string;
  /** commentary, partial_answer, final_answer, nothing, or news. */
  readonly phase: string | undefined;
  /** Asked beside the work, which goes on without waiting for an answer. */
  readonly questions: readonly { readonly title: string; readonly options: readonly string[] }[];
};

export type ReasoningItem = {
  readonly type: "reasoning";
  readonly summary: readonly string[];
  readonly content: readonly string[];
};

/** Items that are shown and kept, but are no part of the conversation. */
export type NoteSource =
  | { readonly type: "plan"; readonly text: string }
  | { readonly type: "hookPrompt"; readonly texts: readonly string[] }
  | { readonly type: "functionCallOutput"; readonly name: string; readonly output: string }
  | { readonly type: "webSearch"; readonly query: string }
  | { readonly type: "imageView"; readonly path: string }
  | { readonly type: "imageGeneration"; readonly path: string; readonly failed: boolean }
  | { readonly type: "sleep"; readonly durationMs: number }
  | { readonly type: "subAgentActivity"; readonly activity: string; readonly agent: string }
  | { readonly type: "enteredReviewMode" | "exitedReviewMode"; readonly review: string }
  | { readonly type: "contextCompaction" }
  | { readonly type: "unknown"; readonly name: string; readonly raw: Fields };

export const readMessage = (fields: Fields): MessageItem => ({
  type: "agentMessage",
  text: textIn(fields, "text") ?? "",
  phase: textIn(fields, "phase"),
  questions: listOf(fields["questions"]).map((entry) => ({
    title: textIn(fieldsOf(entry), "title") ?? "",
    options: textsOf(fieldsOf(entry)["options"]),
  })),
});

export const readReasoning = (fields: Fields): ReasoningItem => ({
  type: "reasoning",
  summary: textsOf(fields["summary"]),
  content: textsOf(fields["content"]),
});

/** One reader for each note, so that a new field of one cannot disturb another. */
export const noteReaders: Readonly<Record<string, (fields: Fields) => NoteSource>> = {
  plan: (fields) => ({ type: "plan", text: textIn(fields, "text") ?? "" }),
  hookPrompt: (fields) => ({
    type: "hookPrompt",
    texts: listOf(fields["fragments"]).flatMap((part) => textIn(fieldsOf(part), "text") ?? []),
  }),
  functionCallOutput: (fields) => ({
    type: "functionCallOutput",
    name: textIn(fields, "name") ?? "",
    output: outputText(fields["output"]),
  }),
  webSearch: (fields) => ({ type: "webSearch", query: searched(fields) }),
  imageView: (fields) => ({ type: "imageView", path: textIn(fields, "path") ?? "" }),
  imageGeneration: (fields) => ({
    type: "imageGeneration",
    path: textIn(fields, "savedPath") ?? "",
    failed: fields["failure"] !== null && fields["failure"] !== undefined,
  }),
  sleep: (fields) => ({ type: "sleep", durationMs: elapsed(fields) ?? numberIn(fields, "durationMs") ?? 0 }),
  subAgentActivity: (fields) => ({
    type: "subAgentActivity",
    activity: textIn(fields, "kind") ?? "",
    agent: textIn(fields, "agentPath") ?? textIn(fields, "agentThreadId") ?? "",
  }),
  enteredReviewMode: (fields) => ({ type: "enteredReviewMode", review: textIn(fields, "review") ?? "" }),
  exitedReviewMode: (fields) => ({ type: "exitedReviewMode", review: textIn(fields, "review") ?? "" }),
  contextCompaction: () => ({ type: "contextCompaction" }),
};

/** How long it took; what codex calls its duration is how long it was meant to take. */
function elapsed(fields: Fields): number | undefined {
  const [from, to] = [numberIn(fields, "startedAtMs"), numberIn(fields, "completedAtMs")];
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from);
}

const outputText = (value: unknown): string =>
  typeof value === "string"
    ? value
    : listOf(value)
        .flatMap((part) => textIn(fieldsOf(part), "text") ?? [])
        .join("\n");

/** The query; opening or searching a page has none, but an address. */
function searched(fields: Fields): string {
  const action = fieldsOf(fields["action"]);
  const place = [textIn(action, "pattern"), textIn(action, "url")].filter(Boolean).join(" in ");
  return textIn(fields, "query") || place;
}
