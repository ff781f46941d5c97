import type { Outcome } from "../../../core/events.ts";
import type { Item } from "../../../core/items.ts";
import type { UserMessage } from "../../../core/messages.ts";
import type { Past, StoredMessage, StoredTurn } from "../../../core/session.ts";
import { typedInput } from "../../../core/skill-input.ts";
import { counted } from "../amounts.ts";
import { type Block, finishedProse, openProse } from "./blocks.ts";
import { endBlocks } from "../turn-end.ts";
import { finishedCall } from "./items.ts";

/** More than this of an old conversation is for `/history`. */
export const mostMessages = 60;

/** Turns of a session as they looked, after a line about those before. */
export function pastBlocks({ earlier, turns }: Past): readonly Block[] {
  const before: Block = { kind: "note", text: `${counted(earlier, "earlier message")}; /history shows them` };
  return [
    ...(earlier === 0 ? [] : [before]),
    ...turns.flatMap(({ turn, parts }) => [...parts.flatMap(partBlocks), ...outcomeBlocks(turn)]),
  ];
}

function partBlocks(part: Item | StoredMessage): readonly Block[] {
  if ("seq" in part) return [userBlock(part.message as UserMessage)];
  switch (part.kind) {
    case "text":
      return part.text === ""
        ? []
        : [finishedProse(openProse(part.phase === "commentary" ? "commentary" : "answer", 0), part.text)];
    case "thinking":
      return [finishedProse(openProse("thinking", 0), part.text)];
    case "call":
      return [finishedCall(part)];
    case "note":
      return [{ kind: "note", text: part.text }];
  }
}

function userBlock({ content }: UserMessage): Block {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return {
    kind: "user",
    text: typedInput(parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")),
    images: parts.flatMap((part) => (part.type === "image" ? [part.name] : [])),
  };
}

function outcomeBlocks(turn: StoredTurn): readonly Block[] {
  if (turn.state === "done") return [];
  if (turn.state === "open") return [{ kind: "note", text: "this turn is not finished yet" }];
  const outcome: Outcome = turn.state;
  return endBlocks({ outcome, fault: turn.fault }, undefined);
}
