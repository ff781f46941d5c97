import {
  type AssistantMessage,
  type Message,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
  withSteeredWords,
} from "../core/messages.ts";
import { oneLine } from "../core/plain-text.ts";
import type { TurnRecord } from "../core/session.ts";

/**
 * The conversation as a model may be given it: user, assistant, the results of its calls in their order, assistant, and
 * so on, ending with an assistant's words, whatever instant the rows were cut off at. Each turn begins with exactly one
 * message of the user. What the person said later in it stands where models get it while the turn runs: below the next
 * result, else below the last one, and in a turn without results, and with pictures, in the message that began it.
 * Neighbouring assistant rows join, a call without a result gets one that says so, a result without its call is left
 * out, and a call id that was used before gets a suffix in call and result alike. What a turn becomes depends on it and
 * on the turns before it only, so the history of fewer turns is the beginning of the history of more, and prompt caches
 * hold.
 */
export const history = (turns: readonly TurnRecord[]): readonly Message[] => historyByTurn(turns).flat();

/** The same, turn by turn. */
export function historyByTurn(turns: readonly TurnRecord[]): readonly (readonly Message[])[] {
  const used: UsedIds = new Map();
  return turns.map((record) => {
    const { opening, drafts } = draftOf(record.messages);
    if (opening.length === 0 && drafts.length === 0) return [];
    const first = joinedUser(opening) ?? missingInput;
    const messages = [first, ...drafts.flatMap((draft) => written(draft, used))];
    return messages.at(-1)?.role === "assistant" ? messages : [...messages, withoutAnswer(record.turn)];
  });
}

type TurnDraft = {
  readonly opening: UserMessage[];
  readonly drafts: AssistantDraft[];
  /** Calls without a result, by their ids. */
  readonly open: Map<string, DraftCall[]>;
  /** The call whose result came last. */
  answered?: DraftCall;
  /** Words of the person that wait for the next result. */
  steeredWords: string[];
};
type AssistantDraft = {
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
function draftOf(rows: readonly Message[]): TurnDraft {
  const draft: TurnDraft = { opening: [], drafts: [], open: new Map(), steeredWords: [] };
  for (const row of rows) {
    if (row.role === "user") addUser(draft, row);
    if (row.role === "assistant") addAssistant(draft, row);
    if (row.role === "tool") addResult(draft, row);
  }
  dropSilent(draft.drafts);
  const { answered, steeredWords, opening } = draft;
  if (answered !== undefined) answered.result = withSteeredWords(answered.result, steeredWords);
  if (answered === undefined)
    opening.push(...steeredWords.map((content) => ({ role: "user" as const, content })));
  return draft;
}

function addUser({ opening, drafts, steeredWords }: TurnDraft, row: UserMessage): void {
  const isFirst = opening.length === 0 && drafts.length === 0;
  if (isFirst || typeof row.content !== "string") opening.push(row);
  if (!isFirst && typeof row.content === "string" && !isBlank(row.content)) steeredWords.push(row.content);
}

function addAssistant({ drafts, open }: TurnDraft, row: AssistantMessage): void {
  const last = drafts.at(-1);
  const draft = last !== undefined && joins(last, row) ? last : emptyDraft();
  if (draft !== last) drafts.push(draft);
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

const emptyDraft = (): AssistantDraft => ({ texts: [], reasoning: [], calls: [], closed: false });

function addResult(draft: TurnDraft, row: ToolMessage): void {
  const answered = draft.open.get(row.toolCallId)?.shift();
  if (answered === undefined) return;
  answered.result = withSteeredWords(row.content, draft.steeredWords);
  draft.answered = answered;
  draft.steeredWords = [];
  const last = draft.drafts.at(-1);
  if (last !== undefined && last.calls.length > 0) last.closed = true;
}

/** Reasoning alone is no message. */
function dropSilent(drafts: AssistantDraft[]): void {
  const last = drafts.at(-1);
  if (last !== undefined && last.texts.length + last.calls.length === 0) drafts.pop();
}

function written(draft: AssistantDraft, used: UsedIds): readonly Message[] {
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

const isBlank = (text: string): boolean => text.trim() === "";

/** Words that history puts in where the rows have none. They never change for a turn that has ended. */

export const cutOffResult =
  "[interrupted] This call was cut off before its result was kept; nobody can say whether it had an effect.";

const missingInput: UserMessage = {
  role: "user",
  content: "[The message that began this turn is missing]",
};

/** Open and interrupted read the same, so that closing what a crash left open changes no prompt. */
function withoutAnswer({ state, fault }: TurnRecord["turn"]): AssistantMessage {
  if (state === "open" || state === "interrupted") {
    return { role: "assistant", content: "[This turn was stopped before there was an answer]" };
  }
  const why = fault === undefined ? "" : `: ${shortLine(fault.message)}`;
  return { role: "assistant", content: `[This turn ended without an answer${why}]` };
}

const maxLine = 300;

/** By code points, so that no character is cut in two. */
function shortLine(text: string): string {
  const points = [...oneLine(text)];
  return points.length <= maxLine ? points.join("") : `${points.slice(0, maxLine).join("")}…`;
}

/** What the person said in several messages, as one. */
export function joinedUser(messages: readonly UserMessage[]): UserMessage | undefined {
  if (messages.length <= 1) return messages[0];
  const texts = messages.flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  if (texts.length === messages.length) return { role: "user", content: texts.join("\n\n") };
  return { role: "user", content: messages.flatMap(parts) };
}

const parts = ({ content }: UserMessage) =>
  typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
