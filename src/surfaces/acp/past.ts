import { chatAdvice } from "../../core/advice.ts";
import type { Sessions } from "../../core/host.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import type { UserMessage } from "../../core/messages.ts";
import type { StoredMessage, StoredTurn } from "../../core/session.ts";
import { type CallFeed, callId } from "./call-feed.ts";
import type { SessionWriter } from "./session-writer.ts";

export type PastParts = {
  readonly sessions: Pick<Sessions, "messages" | "turns" | "items">;
  readonly writer: SessionWriter;
  readonly calls: Pick<CallFeed, "finish">;
};

/** Tells the editor all that was said and done in a session, turn by turn. What was undone is not part of it. */
export async function replay({ sessions, writer, calls }: PastParts, session: SessionId): Promise<void> {
  const [messages, turns] = await Promise.all([sessions.messages(session), sessions.turns(session)]);
  const byTurn = Map.groupBy(messages, ({ turn }) => turn);
  for (const turn of turns.filter(({ undone }) => undone !== true)) {
    const rows = byTurn.get(turn.id) ?? [];
    for (const part of inOrder(rows, await sessions.items(turn.id))) {
      if ("seq" in part) showUser(writer, part);
      else await showItem({ writer, calls }, turn.id, part, turn.cwd);
    }
    showEnd(writer, turn);
  }
}

/** Items as they were finished; what the person said meanwhile stands where it came. */
function inOrder(rows: readonly StoredMessage[], items: readonly Item[]): readonly (Item | StoredMessage)[] {
  const shown: (Item | StoredMessage)[] = [];
  let next = 0;
  for (const row of rows) {
    if (row.message.role === "user") {
      shown.push(row);
      continue;
    }
    const at = items.findIndex(({ id }) => id === row.item);
    while (next <= at) shown.push(...items.slice(next, (next += 1)));
  }
  return [...shown, ...items.slice(next)];
}

function showUser(writer: SessionWriter, { seq, message }: StoredMessage): void {
  const { content } = message as UserMessage;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  for (const part of parts) {
    const block =
      part.type === "text"
        ? ({ type: "text", text: part.text } as const)
        : ({ type: "image", data: part.base64, mimeType: part.mediaType } as const);
    writer.heard(String(seq), block);
  }
}

async function showItem(
  { writer, calls }: Pick<PastParts, "writer" | "calls">,
  turn: TurnId,
  item: Item,
  cwd: string,
): Promise<void> {
  switch (item.kind) {
    case "text":
      return writer.say(callId(turn, item.id), item.text);
    case "thinking":
      return writer.think(callId(turn, item.id), item.text);
    case "call":
      return calls.finish(turn, item, cwd);
    case "note":
      return writer.aside(item.text);
  }
}

function showEnd(writer: SessionWriter, { state, fault }: StoredTurn): void {
  if (fault !== undefined) writer.aside(`${fault.message}\n→ ${chatAdvice(fault.next)}`);
  const said = ends[state];
  if (said !== undefined) writer.aside(said);
}

const ends: Readonly<Record<StoredTurn["state"], string | undefined>> = {
  open: "This turn is not finished yet.",
  done: undefined,
  failed: undefined,
  interrupted: "Interrupted; what was finished is kept.",
  unconfirmed: "It probably finished, but that could not be confirmed.",
};
