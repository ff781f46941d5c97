import { join } from "node:path";
import { type Platform, isPlatform } from "../../core/gateway/chat.ts";
import type { ChatKey } from "../../core/gateway/tables.ts";
import type { Store } from "../../store/store.ts";
import type { ChatTarget } from "../../tools/chat/send-file.ts";
import type { Tool, TurnContext } from "../../tools/tool.ts";
import type { Foundation } from "../foundation.ts";
import type { HostShell } from "./shell.ts";

type Needs = Pick<Foundation, "store" | "loaded"> & { readonly shell: Pick<HostShell, "guarded"> };

/** The tools with which a turn reaches the chat that it is held in, beside its answer. Which turns have them is for `chatToolsOf`. */
export const hostChatTools =
  ({ store, loaded, shell }: Needs) =>
  async (): Promise<readonly Tool[]> => {
    const { sendFileTool } = await import("../../tools/chat/send-file.ts");
    const { home, paths } = loaded.config;
    const tool = sendFileTool({
      target: (context) => targetOf(store, context),
      outbox: store.outbox,
      folder: outgoingFolder(home),
      guarded: shell.guarded,
      mediaFolder: paths.media,
    });
    return [tool as Tool];
  };

/** Where copies of files are that go to chats. */
export const outgoingFolder = (home: string): string => join(home, "gateway", "outgoing");

type Asked = Partial<Pick<TurnContext, "turn" | "from">>;

/**
 * What of these a turn has: tools of chats are there when its message came from a chat. In other turns of a session that began in one
 * they are switched on and cannot be used, so that a codex thread stays the same wherever the session goes on.
 */
export async function chatToolsOf(
  store: Pick<Store, "turns" | "inbox">,
  asked: Asked,
  began: string | undefined,
  tools: readonly Tool[],
): Promise<readonly Tool[]> {
  if (!tools.some(isOfChat) || (await chatOf(store, asked)) !== undefined) return tools;
  if (!isPlatform(began ?? "")) return tools.filter((tool) => !isOfChat(tool));
  return tools.map((tool) => (isOfChat(tool) ? { ...tool, unavailable: () => notFromChat } : tool));
}

const isOfChat = ({ toolset }: Pick<Tool, "toolset">): boolean => toolset === "chat";

const notFromChat = "this was not asked for in a chat app.";

/** The chat that the turn's own message came from: what others say meanwhile, or a goal or schedule made there, does not count. */
async function chatOf(
  { turns, inbox }: Pick<Store, "turns" | "inbox">,
  { turn, from }: Asked,
): Promise<(ChatKey & Pick<ChatTarget, "replyTo">) | undefined> {
  if (turn === undefined || !isPlatform(from?.surface ?? "")) return undefined;
  const stored = await turns.get(turn);
  const input = stored && (await inbox.get(stored.inbox));
  if (input === undefined) return undefined;
  const { surface, account, chat, messageId } = input.key;
  if (!isPlatform(surface) || surface !== from?.surface) return undefined;
  return { surface, account, chat, ...(input.work === undefined ? { replyTo: messageId } : {}) };
}

async function targetOf(
  store: Store,
  { turn, from, audience }: Pick<TurnContext, "turn" | "from" | "audience">,
): Promise<ChatTarget | undefined> {
  const chat = await chatOf(store, { turn, from });
  if (chat === undefined) return undefined;
  const { surface, account, chat: name } = chat;
  const places = await Promise.all(
    ["", from.id].map((person) => store.chats.get({ surface, account, chat: name, person })),
  );
  const place = places.find((each) => each !== undefined);
  // Where nobody knows who reads along, it is not the owner alone.
  const isDirect = place?.room === "direct";
  return {
    ...chat,
    isOwn: isDirect && from.role === "owner" && audience === "owner",
    name: chatWords(surface, name, place, isDirect ? (from.name ?? from.id) : undefined),
  };
}

function chatWords(
  surface: Platform,
  chat: string,
  place: { readonly roomName?: string } | undefined,
  person: string | undefined,
): string {
  const on = `on ${surface[0]?.toUpperCase()}${surface.slice(1)}`;
  if (person !== undefined) return `the chat with ${person} ${on}`;
  return `the group ${place?.roomName === undefined ? chat : `“${place.roomName}”`} ${on}`;
}
