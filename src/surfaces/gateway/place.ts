import type { ChatMessage } from "../../core/gateway/chat.ts";
import { chatName } from "../../core/gateway/chat.ts";
import type { GatewaySettings } from "../../core/gateway/gateway.ts";
import type { ChatPlace, StoredPerson } from "../../core/gateway/tables.ts";
import type { Audience, Principal } from "../../core/principal.ts";

type Said = Pick<ChatMessage, "address" | "room" | "from">;

/**
 * Whose conversation a message belongs to. In a group everybody has their own, unless the settings say otherwise; whoever writes
 * in a thread shares it. A guest shares nothing: what the others said there is not for them.
 */
export function placeOf(
  { address, room, from }: Said,
  role: StoredPerson["role"],
  groups: GatewaySettings["groups"],
): ChatPlace {
  const { surface, account, thread } = address;
  const isShared = room === "direct" || (role !== "guest" && (groups === "shared" || thread !== undefined));
  return { surface, account, chat: chatName(address), person: isShared ? "" : from.id };
}

/** With whom a session is held that begins here. What is said in a group is read by all of it, whoever asks. */
export function audienceOf(room: ChatMessage["room"], role: StoredPerson["role"]): Audience {
  if (role === "guest") return "guests";
  return room === "direct" && role === "owner" ? "owner" : "members";
}

export const principalFor = ({ from, address }: Said, role: StoredPerson["role"]): Principal => ({
  surface: address.surface,
  id: from.id,
  name: from.name,
  role,
  local: false,
});

/** One word for a place, for maps. */
export const placeName = ({ surface, account, chat, person }: ChatPlace): string =>
  [surface, account, chat, person].join(" ");
