import type { Outcome } from "../../core/events.ts";
import type { TurnId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { AssistantMessage, Message, ToolCall, UserMessage } from "../../core/messages.ts";
import type { StoredMessage, StoredTurn } from "../../core/session.ts";
import { typedInput } from "../../core/skill-input.ts";
import { counted } from "./amounts.ts";
import { type Block, type CallBlock, finishedProse, openProse, wholeOutput } from "./blocks.ts";
import { callTitle } from "./call-title.ts";
import { endBlocks } from "./turn-end.ts";

/** More than this of an old conversation is for `/history`. */
const mostMessages = 60;

/** The last turns of a session as they looked, whole turns only, after a line about those before. */
export function pastBlocks(
  messages: readonly StoredMessage[],
  turns: readonly StoredTurn[],
): readonly Block[] {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const kept = messages.filter(({ turn }) => !isUndone(byId.get(turn)));
  const groups = byTurn(kept);
  const shown: (readonly [TurnId, readonly Message[]])[] = [];
  let count = 0;
  for (const group of groups.toReversed()) {
    if (count > 0 && count + group[1].length > mostMessages) break;
    shown.unshift(group);
    count += group[1].length;
  }
  const earlier = kept.length - count;
  const before: Block = { kind: "note", text: `${counted(earlier, "earlier message")}; /history shows them` };
  return [
    ...(earlier === 0 ? [] : [before]),
    ...shown.flatMap(([id, rows]) => [...turnBlocks(rows), ...outcomeBlocks(byId.get(id))]),
  ];
}

/** A turn that was taken back is not part of the conversation any more. */
const isUndone = (turn: StoredTurn | undefined): boolean => turn?.undone === true;

function byTurn(messages: readonly StoredMessage[]): readonly (readonly [TurnId, readonly Message[]])[] {
  const groups: [TurnId, Message[]][] = [];
  for (const { turn, message } of messages) {
    const last = groups.at(-1);
    if (last?.[0] === turn) last[1].push(message);
    if (last?.[0] !== turn) groups.push([turn, [message]]);
  }
  return groups;
}

function turnBlocks(rows: readonly Message[]): readonly Block[] {
  const results = new Map(
    rows.flatMap((row) => (row.role === "tool" ? [[row.toolCallId, row.content]] : [])),
  );
  return rows.flatMap((row): readonly Block[] => {
    if (row.role === "user") return [userBlock(row)];
    return row.role === "assistant" ? assistantBlocks(row, results) : [];
  });
}

function userBlock({ content }: UserMessage): Block {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return {
    kind: "user",
    text: typedInput(parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")),
    images: parts.flatMap((part) => (part.type === "image" ? [part.name] : [])),
  };
}

function assistantBlocks(
  { content, reasoning, toolCalls = [] }: AssistantMessage,
  results: ReadonlyMap<string, string>,
): readonly Block[] {
  const kind = toolCalls.length > 0 ? "commentary" : "answer";
  return [
    ...(reasoning === undefined ? [] : [finishedProse(openProse("thinking", 0), reasoning)]),
    ...(content === "" ? [] : [finishedProse(openProse(kind, 0), content)]),
    ...toolCalls.map((call) => callBlock(call, results.get(call.id))),
  ];
}

/** A row keeps the exit code on its first line, and of other failures nothing but the words. */
function callBlock({ name, arguments: args }: ToolCall, result: string | undefined): CallBlock {
  const exit = /^\[exit (-?\d{1,10})\](?:\n|$)/.exec(result ?? "");
  const state = result === undefined ? "failed" : exit === null ? "unknown" : "failed";
  const ended = result === undefined ? "not finished" : exit === null ? undefined : `exit ${exit[1]}`;
  return {
    kind: "call",
    ...callTitle(name, parsed(args)),
    state,
    own: false,
    since: 0,
    output: wholeOutput((result ?? "").slice(exit?.[0].length ?? 0)),
    ...(ended === undefined ? {} : { ended }),
  };
}

function parsed(args: string): Json | undefined {
  try {
    return JSON.parse(args) as Json;
  } catch {
    return args;
  }
}

function outcomeBlocks(turn: StoredTurn | undefined): readonly Block[] {
  if (turn === undefined || turn.state === "done") return [];
  if (turn.state === "open") return [{ kind: "note", text: "this turn is not finished yet" }];
  const outcome: Outcome = turn.state;
  return endBlocks({ outcome, fault: turn.fault }, undefined);
}
