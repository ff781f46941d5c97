import type { Address, ChatEvent, ChatMessage, ChatPerson } from "../../../core/gateway/chat.ts";
import { type Fields, fieldsOf, isPlainObject } from "../../../core/json.ts";
import { filesOf } from "./files.ts";
import { meant } from "./mention.ts";
import { bot, integer, text, type TelegramBot } from "./wire.ts";

/** What an update is to us. Pure, and never throws: what is not understood is something else. `now`: when it came. */
export function parse(update: unknown, self: TelegramBot, now: number): ChatEvent {
  const { message, callback_query: press, ...others } = fieldsOf(update);
  if (isPlainObject(message)) return parseMessage(message, self);
  if (isPlainObject(press)) return parsePress(press, self, now);
  return other(Object.keys(others).find((name) => name !== "update_id") ?? "update");
}

const other = (what: string): ChatEvent => ({ kind: "other", what });

function parseMessage(message: Fields, self: TelegramBot): ChatEvent {
  const [id, chat, from] = [integer(message["message_id"]), fieldsOf(message["chat"]), senderOf(message)];
  const address = addressOf(message, self);
  if (id === undefined || address === undefined || from === undefined) return other("message without sender");
  if (from.id === String(self.id)) return other("own message");
  if (message["is_automatic_forward"] === true) return other("post of a linked channel");
  const files = filesOf(message);
  const said = meant(message, self);
  const words = said.text === "" ? placeOrContact(message) : said.text;
  const isEmpty = words === "" && files.length === 0;
  const unreadable = isEmpty ? unreadableIn(message) : undefined;
  if (isEmpty && unreadable === undefined && !said.isNamed) return other(serviceOf(message));
  const room = chat["type"] === "private" ? "direct" : "group";
  const reply = repliedTo(message);
  return {
    kind: "message",
    address,
    messageId: String(id),
    order: String(id).padStart(16, "0"),
    at: 1000 * (integer(message["date"]) ?? 0),
    from,
    room,
    ...optional("roomName", room === "group" ? text(chat["title"]) : undefined),
    text: words,
    isForBot: room === "direct" || said.isNamed || bot(reply?.["from"]) === self.id,
    ...optional("replyTo", reply === undefined ? undefined : String(integer(reply["message_id"]))),
    ...optional("quoted", reply === undefined ? undefined : quotedIn(message, reply, self)),
    files,
    ...optional("unreadable", unreadable),
    ...optional("album", text(message["media_group_id"])),
  } satisfies ChatMessage;
}

/**
 * A topic of a forum is its own place. The General one has no id that could be written to, and what only answers something in a group
 * carries the id of a thread as well, which is none to write to either.
 */
function addressOf(message: Fields, self: TelegramBot): Address | undefined {
  const chat = integer(fieldsOf(message["chat"])["id"]);
  if (chat === undefined) return undefined;
  const thread = message["is_topic_message"] === true ? integer(message["message_thread_id"]) : undefined;
  return {
    surface: "telegram",
    account: String(self.id),
    chat: String(chat),
    ...optional("thread", thread === undefined || thread === generalTopic ? undefined : String(thread)),
  };
}

export const generalTopic = 1;

/** Who writes as a group or a channel is that: nobody knows which person it is. */
function senderOf(message: Fields): ChatPerson | undefined {
  const [as, from] = [fieldsOf(message["sender_chat"]), fieldsOf(message["from"])];
  const chat = integer(as["id"]);
  if (chat !== undefined) return { id: String(chat), name: text(as["title"]) ?? String(chat), isBot: false };
  return personOf(from);
}

function personOf(user: Fields): ChatPerson | undefined {
  const id = integer(user["id"]);
  if (id === undefined) return undefined;
  const names = [text(user["first_name"]), text(user["last_name"])].filter((name) => name !== undefined);
  return {
    id: String(id),
    name: names.join(" ") || (text(user["username"]) ?? String(id)),
    isBot: user["is_bot"] === true,
  };
}

/** In a topic, what answers nothing else answers the message that opened it. */
function repliedTo(message: Fields): Fields | undefined {
  const reply = fieldsOf(message["reply_to_message"]);
  const id = integer(reply["message_id"]);
  const opensTopic = message["is_topic_message"] === true && id === integer(message["message_thread_id"]);
  return id === undefined || opensTopic || "forum_topic_created" in reply ? undefined : reply;
}

function placeOrContact(message: Fields): string {
  const { latitude, longitude } = fieldsOf(message["location"]);
  if (typeof latitude === "number" && typeof longitude === "number") {
    return [text(fieldsOf(message["venue"])["title"]), `Location: ${latitude}, ${longitude}`]
      .filter((line) => line !== undefined)
      .join("\n");
  }
  const contact = fieldsOf(message["contact"]);
  const phone = text(contact["phone_number"]);
  if (phone === undefined) return "";
  const names = [text(contact["first_name"]), text(contact["last_name"]), phone];
  return `Contact: ${names.filter((name) => name !== undefined).join(" ")}`;
}

/** The part of it that was chosen, or all of its words. */
function quotedIn(message: Fields, reply: Fields, self: TelegramBot): ChatMessage["quoted"] {
  const said = text(fieldsOf(message["quote"])["text"]) ?? text(reply["text"]) ?? text(reply["caption"]);
  const from = senderOf(reply);
  if (said === undefined || from === undefined || from.id === String(self.id)) return undefined;
  return { from: from.name, text: said };
}

/** What people send that has no words and no file. Everything else without them tells of something that happened. */
const kinds: Readonly<Record<string, string>> = {
  poll: "polls",
  dice: "dice",
  game: "games",
  sticker: "this sticker",
  story: "stories",
  checklist: "checklists",
  paid_media: "paid media",
  invoice: "invoices",
  giveaway: "giveaways",
  venue: "this place",
  location: "this location",
  contact: "this contact",
};

const unreadableIn = (message: Fields): string | undefined =>
  Object.entries(kinds).find(([kind]) => isPlainObject(message[kind]))?.[1];

const usual = new Set(["message_id", "from", "chat", "date", "message_thread_id", "is_topic_message"]);

const serviceOf = (message: Fields): string =>
  Object.keys(message).find((name) => !usual.has(name)) ?? "empty message";

function parsePress(press: Fields, self: TelegramBot, now: number): ChatEvent {
  const [id, data, from] = [text(press["id"]), text(press["data"]), personOf(fieldsOf(press["from"]))];
  const message = fieldsOf(press["message"]);
  const [messageId, address] = [integer(message["message_id"]), addressOf(message, self)];
  if (id === undefined || data === undefined || from === undefined) return other("press without data");
  if (messageId === undefined || address === undefined) return other("press without message");
  return {
    kind: "press",
    address,
    messageId: String(messageId),
    press: id,
    data,
    from,
    room: fieldsOf(message["chat"])["type"] === "private" ? "direct" : "group",
    at: now,
  };
}

const optional = <Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } =>
  (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
