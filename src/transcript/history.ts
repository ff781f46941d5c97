import type { AssistantMessage, Message, ToolCall, UserMessage } from "../core/messages.ts";
import type { TurnRecord } from "../core/session.ts";
import { cutOffResult, missingInput, newInput, withoutAnswer } from "./notes.ts";

/**
 * The conversation as a model may be given it: user, assistant, the results of its calls in their order, assistant, and
 * so on, ending with an assistant's words, whatever instant the rows were cut off at. Neighbouring assistant rows join,
 * a call without a result gets one that says so, a result without its call is left out, and a call id that was used
 * before gets a suffix in call and result alike. What a turn becomes depends on it and on the turns before it only, so
 * the history of fewer turns is the beginning of the history of more, and prompt caches hold.
 */
export function history(turns: readonly TurnRecord[]): readonly Message[] {
  const used: UsedIds = new Map();
  return turns.flatMap((record) => {
    const said = drafts(record.messages).flatMap((draft) => written(draft, used));
    return said.length === 0 ? [] : completed(said, record);
  });
}

type Draft = UserMessage | AssistantDraft;
type AssistantDraft = {
  readonly role: "assistant";
  readonly texts: string[];
  readonly reasoning: string[];
  readonly calls: DraftCall[];
  /** A result came after it, so what the assistant says next is another message. */
  closed: boolean;
};
type DraftCall = { readonly call: ToolCall; result: string };
/** Call ids given out, each with the suffix to try when it comes again: some models call every call `call_1`. */
type UsedIds = Map<string, number>;

/** Joins the rows of a turn and gives each call its result. */
function drafts(rows: readonly Message[]): readonly Draft[] {
  const said: Draft[] = [];
  const open = new Map<string, DraftCall[]>();
  for (const row of rows) {
    if (row.role === "user") addUser(said, row);
    if (row.role === "assistant") addAssistant(said, row, open);
    if (row.role !== "tool") continue;
    const answered = open.get(row.toolCallId)?.shift();
    if (answered === undefined) continue;
    answered.result = row.content;
    const last = said.at(-1);
    if (last?.role === "assistant" && last.calls.length > 0) last.closed = true;
  }
  dropSilent(said);
  return said;
}

function addUser(said: Draft[], row: UserMessage): void {
  dropSilent(said);
  const last = said.at(-1);
  if (last?.role !== "user") said.push(row);
  if (last?.role === "user") said.splice(-1, 1, joinedUser(last, row));
}

function joinedUser(a: UserMessage, b: UserMessage): UserMessage {
  if (typeof a.content === "string" && typeof b.content === "string") {
    return { role: "user", content: `${a.content}\n\n${b.content}` };
  }
  return { role: "user", content: [...parts(a), ...parts(b)] };
}

const parts = ({ content }: UserMessage) =>
  typeof content === "string" ? [{ type: "text" as const, text: content }] : content;

function addAssistant(said: Draft[], row: AssistantMessage, open: Map<string, DraftCall[]>): void {
  const last = said.at(-1);
  const draft = last?.role === "assistant" && joins(last, row) ? last : emptyDraft();
  if (draft !== last) said.push(draft);
  if (!isBlank(row.content)) draft.texts.push(row.content);
  if (row.reasoning !== undefined && !isBlank(row.reasoning)) draft.reasoning.push(row.reasoning);
  for (const call of row.toolCalls ?? []) {
    const drafted = { call, result: cutOffResult };
    draft.calls.push(drafted);
    open.set(call.id, [...(open.get(call.id) ?? []), drafted]);
  }
}

/** Words after a call come after its result, or the result would seem to be unanswered. */
const joins = (draft: AssistantDraft, row: AssistantMessage): boolean =>
  !draft.closed && (draft.calls.length === 0 || isBlank(row.content));

const emptyDraft = (): AssistantDraft => ({
  role: "assistant",
  texts: [],
  reasoning: [],
  calls: [],
  closed: false,
});

/** Reasoning alone is no message. */
function dropSilent(said: Draft[]): void {
  const last = said.at(-1);
  if (last?.role === "assistant" && last.texts.length + last.calls.length === 0) said.pop();
}

function written(draft: Draft, used: UsedIds): readonly Message[] {
  if (draft.role === "user") return [draft];
  const calls = draft.calls.map(({ call, result }) => ({
    call: { ...call, id: unique(call.id, used) },
    result,
  }));
  const message: AssistantMessage = {
    role: "assistant",
    content: draft.texts.join("\n\n"),
    ...(calls.length > 0 ? { toolCalls: calls.map(({ call }) => call) } : {}),
    ...(draft.reasoning.length > 0 ? { reasoning: draft.reasoning.join("\n\n") } : {}),
  };
  return [
    message,
    ...calls.map(({ call, result }) => ({ role: "tool" as const, toolCallId: call.id, content: result })),
  ];
}

function unique(id: string, used: UsedIds): string {
  const base = id === "" ? "call" : id;
  let n = used.get(base) ?? 1;
  let free = n === 1 ? base : `${base}_${n}`;
  for (; used.has(free); free = `${base}_${n}`) n += 1;
  used.set(base, n + 1);
  if (free !== base) used.set(free, 2);
  return free;
}

/** Puts words where the order of roles needs some and nobody spoke. */
function completed(said: readonly Message[], { turn }: TurnRecord): readonly Message[] {
  const whole = said.flatMap((message, at) => {
    const before = said[at - 1]?.role;
    if (at === 0 && message.role !== "user") return [missingInput, message];
    return message.role === "user" && before === "tool" ? [newInput, message] : [message];
  });
  return whole.at(-1)?.role === "assistant" ? whole : [...whole, withoutAnswer(turn)];
}

const isBlank = (text: string): boolean => text.trim() === "";
