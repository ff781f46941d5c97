import { chatAdvice } from "../../core/advice.ts";
import type { TurnId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import type { InputPart, UserMessage } from "../../core/messages.ts";
import type { PastTurn, StoredMessage, StoredTurn } from "../../core/session.ts";
import { type CallFeed, callId } from "./call-feed.ts";
import type { SessionWriter } from "./session-writer.ts";

export type PastParts = {
  readonly writer: SessionWriter;
  readonly calls: Pick<CallFeed, "finish">;
};

/** Tells the editor all that was said and done in these turns. */
export async function replay(
  { writer, calls }: PastParts,
  turns: AsyncIterable<PastTurn> | readonly PastTurn[],
): Promise<void> {
  for await (const { turn, parts } of turns) {
    for (const part of parts) {
      if ("seq" in part) showMessage(writer, part);
      else await showItem({ writer, calls }, turn.id, part, turn.cwd);
    }
    showEnd(writer, turn);
  }
}

function showMessage(writer: SessionWriter, { seq, message }: StoredMessage): void {
  const { content } = message as UserMessage;
  showUser(writer, String(seq), typeof content === "string" ? [{ type: "text", text: content }] : content);
}

/** What the person said. */
export function showUser(writer: SessionWriter, id: string, parts: readonly InputPart[]): void {
  for (const part of parts) {
    const block =
      part.type === "text"
        ? ({ type: "text", text: part.text } as const)
        : ({ type: "image", data: part.base64, mimeType: part.mediaType } as const);
    writer.userMessage(id, block);
  }
}

async function showItem({ writer, calls }: PastParts, turn: TurnId, item: Item, cwd: string): Promise<void> {
  switch (item.kind) {
    case "text":
      return writer.say(callId(turn, item.id), item.text);
    case "thinking":
      return writer.think(callId(turn, item.id), item.text);
    case "call":
      return calls.finish(turn, item, cwd);
    case "note":
      return writer.remark(item.text);
  }
}

function showEnd(writer: SessionWriter, { state, fault }: StoredTurn): void {
  if (fault !== undefined) writer.remark(`${fault.message}\n→ ${chatAdvice(fault.next)}`);
  const ending = ends[state];
  if (ending !== undefined) writer.remark(ending);
}

const ends: Readonly<Record<StoredTurn["state"], string | undefined>> = {
  open: "This turn is not finished yet.",
  done: undefined,
  failed: undefined,
  interrupted: "Interrupted; what was finished is kept.",
  unconfirmed: "It probably finished, but that could not be confirmed.",
};
