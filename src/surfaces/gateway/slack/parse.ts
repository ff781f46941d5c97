import type { ChatEvent, ChatFile, ChatMessage, ChatPerson } from "../../../core/gateway/chat.ts";
import { type Fields, fieldsOf, listOf, parsedJson } from "../../../core/json.ts";
import type { SlackIdentity } from "./identity.ts";
import { names, plainText } from "./plain-text.ts";
import { isTimestamp, millisOf, orderOf } from "./timestamp.ts";

/** What Slack hands over, by a socket or by HTTP. `type`: `events_api`, `interactive` or something else. */
export type Handed = { readonly type: string; readonly body: unknown };

/**
 * Pure. The person's name is what the event itself says, often only their id; whether a reply in a thread is for the bot is known only if it
 * is named, or has begun the thread.
 */
export function parse({ type, body }: Handed, self: SlackIdentity): ChatEvent {
  const payload = fieldsOf(body);
  if (type === "events_api") return parseEvent(fieldsOf(payload["event"]), self);
  if (type === "interactive") return parsePress(payload, self);
  return other(type);
}

const other = (what: string): ChatEvent => ({ kind: "other", what });

function parseEvent(event: Fields, self: SlackIdentity): ChatEvent {
  const type = text(event["type"]) ?? "event";
  if (type !== "message" && type !== "app_mention") return other(type);
  return parseMessage(event, text(event["channel"]) ?? "", self);
}

/** Of an event, or out of a history, which does not say in which channel it is. */
export function parseMessage(event: Fields, channel: string, self: SlackIdentity): ChatEvent {
  const [ts, subtype] = [text(event["ts"]) ?? "", text(event["subtype"])];
  if (subtype !== undefined && !saidByPeople.has(subtype)) return other(subtype);
  const from = senderOf(event);
  if (from === undefined || channel === "" || !isTimestamp(ts)) return other("message without sender");
  if (from.id === self.user || isOwnApp(event, self)) return other("own message");
  const said = text(event["text"]) ?? "";
  const room = roomOf(channel, text(event["channel_type"]));
  const isNamed = names(said, self.user);
  const root = rootOf(event, ts);
  const thread = root ?? (room === "group" && isNamed ? ts : undefined);
  return {
    kind: "message",
    address: {
      surface: "slack",
      account: self.account,
      chat: channel,
      ...(thread === undefined ? {} : { thread }),
    },
    messageId: ts,
    order: orderOf(ts),
    at: millisOf(ts),
    from,
    room,
    text: plainText(said, self.user),
    isForBot: room === "direct" || isNamed || event["parent_user_id"] === self.user,
    ...(root === undefined ? {} : { replyTo: root }),
    files: listOf(event["files"]).flatMap((file) => fileOf(fieldsOf(file))),
  };
}

/** All others tell of something that happened, or that was changed. */
const saidByPeople = new Set(["file_share", "thread_broadcast", "me_message"]);

/** A history says of the message that a thread hangs on that it is in its own thread. */
function rootOf(event: Fields, ts: string): string | undefined {
  const thread = text(event["thread_ts"]);
  return thread === undefined || thread === ts || !isTimestamp(thread) ? undefined : thread;
}

function senderOf(event: Fields): ChatPerson | undefined {
  const [user, bot] = [text(event["user"]), text(event["bot_id"])];
  const id = user ?? bot;
  if (id === undefined) return undefined;
  const name = text(fieldsOf(event["bot_profile"])["name"]) ?? text(event["username"]) ?? id;
  return { id, name, isBot: bot !== undefined || user === "USLACKBOT" };
}

const isOwnApp = (event: Fields, self: SlackIdentity): boolean =>
  self.botId !== undefined && event["bot_id"] === self.botId;

const roomOf = (channel: string, kind?: string): ChatMessage["room"] =>
  (kind ?? (channel.startsWith("D") ? "im" : "channel")) === "im" ? "direct" : "group";

function fileOf(file: Fields): readonly ChatFile[] {
  const [id, mode] = [text(file["id"]), text(file["mode"])];
  if (id === undefined || mode === "tombstone" || mode === "hidden_by_limit") return [];
  const [mediaType, bytes] = [text(file["mimetype"]), file["size"]];
  return [
    {
      handle: [id, text(file["url_private_download"]) ?? text(file["url_private"]) ?? []].flat().join(" "),
      kind: kindOf(mediaType ?? "", text(file["subtype"])),
      name: text(file["name"]) ?? text(file["title"]) ?? id,
      ...(mediaType === undefined ? {} : { mediaType }),
      ...(typeof bytes === "number" ? { bytes } : {}),
    },
  ];
}

function kindOf(mediaType: string, subtype?: string): ChatFile["kind"] {
  if (mediaType.startsWith("image/")) return "image";
  return subtype === "slack_audio" || mediaType.startsWith("audio/") ? "voice" : "file";
}

function parsePress(payload: Fields, self: SlackIdentity): ChatEvent {
  const type = text(payload["type"]) ?? "interactive";
  if (type !== "block_actions") return other(type);
  const [container, message, user] = [
    fieldsOf(payload["container"]),
    fieldsOf(payload["message"]),
    fieldsOf(payload["user"]),
  ];
  const action = fieldsOf(listOf(payload["actions"])[0]);
  const channel = text(fieldsOf(payload["channel"])["id"]) ?? text(container["channel_id"]);
  const messageId = text(message["ts"]) ?? text(container["message_ts"]);
  const [id, data] = [text(user["id"]), text(action["value"])];
  if (channel === undefined || messageId === undefined || id === undefined || data === undefined) {
    return other("press without a message");
  }
  const thread = rootOf(message, messageId) ?? rootOf(container, messageId);
  const inThread = thread === undefined ? {} : { thread };
  const at = text(action["action_ts"]) ?? "";
  return {
    kind: "press",
    address: { surface: "slack", account: self.account, chat: channel, ...inThread },
    messageId,
    press: JSON.stringify({ channel, user: id, ...inThread } satisfies PressPlace),
    data,
    from: { id, name: text(user["name"]) ?? text(user["username"]) ?? id, isBot: false },
    room: roomOf(channel),
    at: millisOf(isTimestamp(at) ? at : messageId),
  };
}

/** Where somebody who pressed a button is told something. */
export type PressPlace = { readonly channel: string; readonly user: string; readonly thread?: string };

export function pressPlace(press: string): PressPlace | undefined {
  const place = fieldsOf(parsedJson(press));
  const [channel, user, thread] = [text(place["channel"]), text(place["user"]), text(place["thread"])];
  if (channel === undefined || user === undefined) return undefined;
  return { channel, user, ...(thread === undefined ? {} : { thread }) };
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
