import { type ChatState, chatStateAfter, type CommandReply, withSession } from "../../core/chat-state.ts";
import type { ChatPlace, StoredChat } from "../../core/gateway/tables.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import { type BotParts, houseOf } from "./bot-parts.ts";

export type Chat = ChatPlace & Pick<StoredChat, "room" | "roomName">;

/** A chat's own state, as it is kept between messages. A session that was planned and never begun is none yet. */
export async function chatState(
  parts: BotParts,
  chat: Chat,
): Promise<ChatState & { readonly planned?: SessionId }> {
  const stored = await parts.gateway.chats.get(chat);
  const { session, title, choices = {} } = stored ?? {};
  const state = { choices, attended: "ask", ...(title === undefined ? {} : { title }) } as const;
  if (session === undefined) return state;
  return (await exists(parts, session)) ? { ...state, session } : { ...state, planned: session };
}

const exists = (parts: BotParts, session: SessionId): Promise<boolean> =>
  houseOf(parts)
    .call("sessions.get", { session })
    .then(
      ({ id }) => id === session,
      () => false,
    );

/** The session of the next message is written down before the message is sent: sent again after a crash, it goes into the same one. */
export async function planSession(parts: BotParts, chat: Chat): Promise<SessionId> {
  const { gateway, clock } = parts;
  const now = clock.now();
  const session = newId("ses", now);
  await gateway.chats.change(chat, { session }, now);
  return session;
}

/** What a command has changed. Nothing is allowed beforehand from a chat. */
export async function keepState(
  parts: BotParts,
  chat: Chat,
  before: ChatState,
  reply: CommandReply,
): Promise<void> {
  const { session, title, choices } = chatStateAfter(before, reply);
  const change = { session: session ?? null, title: title ?? null, choices };
  await parts.gateway.chats.change(chat, change, parts.clock.now());
}

/** What stays with the session itself is not kept here. `isChosen`: it was begun, or went on, with what was chosen in the chat. */
export async function begunWith(
  parts: BotParts,
  chat: Chat,
  before: ChatState,
  session: SessionId,
  isChosen: boolean,
): Promise<void> {
  if (before.session !== undefined && !isChosen) return;
  const { choices } = isChosen ? withSession(before, session) : before;
  await parts.gateway.chats.change(chat, { session, title: null, choices }, parts.clock.now());
}
