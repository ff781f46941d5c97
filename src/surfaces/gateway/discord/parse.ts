import type {
  ChatEvent,
  ChatFile,
  ChatMessage,
  ChatOther,
  ChatPerson,
  ChatPress,
} from "../../../core/gateway/chat.ts";
import { fieldsOf, listOf, type Fields } from "../../../core/json.ts";
import { readableText } from "./mentions.ts";
import type { Place } from "./places.ts";
import { isSnowflake, orderOf, timeOf } from "./snowflake.ts";

/** What is known of the bot and its channels while something is read. */
export type Reading = {
  /** The bot's own user. */
  readonly account: string;
  readonly botRoles: ReadonlySet<string>;
  place(channel: string): Place | undefined;
};

/** An event of the gateway. `undefined`: it says nothing about a conversation. */
export function eventOf(type: string, data: unknown, reading: Reading): ChatEvent | undefined {
  switch (type) {
    case "MESSAGE_CREATE":
      return messageOf(data, reading);
    case "INTERACTION_CREATE":
      return pressOf(data, reading);
    case "MESSAGE_UPDATE":
      return other("a message was edited");
    case "MESSAGE_DELETE":
    case "MESSAGE_DELETE_BULK":
      return other("a message was deleted");
    default:
      return undefined;
  }
}

/** A message as the gateway or the history of a channel has it. */
export function messageOf(data: unknown, reading: Reading): ChatMessage | ChatOther {
  const raw = fieldsOf(data);
  const { id, channel_id: chat, author, type = 0 } = raw;
  const from = personOf(author, fieldsOf(raw["member"])["nick"]);
  if (!isSnowflake(id) || !isSnowflake(chat) || from === undefined)
    return other("a message without a sender");
  if (from.id === reading.account) return other("a message of the bot itself");
  if (type !== messageTypes.plain && type !== messageTypes.reply)
    return other(`a message of type ${String(type)}`);
  const { room, name } = placeOf(raw, chat, reading);
  const answered = answeredBy(raw);
  return {
    kind: "message",
    address: { surface: "discord", account: reading.account, chat },
    messageId: id,
    order: orderOf(id),
    at: timeOf(id),
    from: { ...from, isBot: from.isBot || raw["webhook_id"] !== undefined },
    room,
    ...(name === undefined ? {} : { roomName: name }),
    text: textOf(raw, reading),
    isForBot: room === "direct" || namesBot(raw, reading) || answered.author === reading.account,
    ...(answered.id === undefined ? {} : { replyTo: answered.id }),
    ...quotedIn(raw, answered, reading),
    files: filesOf(raw, chat, id),
  };
}

/** What acknowledging a press needs: its application and its key, which works for 15 minutes. */
export type PressHandle = { readonly id: string; readonly application: string; readonly key: string };

export const pressHandle = (press: string): PressHandle => {
  const [id = "", application = "", key = ""] = press.split("/");
  return { id, application, key };
};

function pressOf(data: unknown, reading: Reading): ChatPress | ChatOther {
  const raw = fieldsOf(data);
  const { id, token, application_id: application, channel_id: chat, type } = raw;
  const { custom_id: pressed, component_type: component } = fieldsOf(raw["data"]);
  const { id: messageId } = fieldsOf(raw["message"]);
  if (type !== interactionTypes.component || component !== buttonComponent) {
    return other(`an interaction of type ${String(type)}`);
  }
  const member = fieldsOf(raw["member"]);
  const from = personOf(member["user"] ?? raw["user"], member["nick"]);
  if (!isSnowflake(id) || !isSnowflake(chat) || !isSnowflake(messageId) || from === undefined) {
    return other("a press without its message or its person");
  }
  if (
    typeof token !== "string" ||
    !/^[^/\s]+$/.test(token) ||
    !isSnowflake(application) ||
    typeof pressed !== "string"
  ) {
    return other("a press without a key");
  }
  return {
    kind: "press",
    address: { surface: "discord", account: reading.account, chat },
    messageId,
    press: `${id}/${application}/${token}`,
    data: pressed,
    from,
    room: placeOf(raw, chat, reading).room,
    at: timeOf(id),
  };
}

/** A server's events name the server; of what the history has, only the channel is known. */
function placeOf(raw: Fields, chat: string, reading: Reading): Place {
  const known = reading.place(chat);
  if (known !== undefined) return known;
  return { room: raw["guild_id"] === undefined ? "direct" : "group" };
}

function personOf(data: unknown, nick: unknown): ChatPerson | undefined {
  const { id, username, global_name: shown, bot } = fieldsOf(data);
  if (!isSnowflake(id)) return undefined;
  const name = [nick, shown, username].find((one) => typeof one === "string" && one !== "") ?? id;
  return { id, name: String(name), isBot: bot === true };
}

function namesBot(raw: Fields, { account, botRoles }: Reading): boolean {
  const isNamed = listOf(raw["mentions"]).some((one) => fieldsOf(one)["id"] === account);
  return isNamed || listOf(raw["mention_roles"]).some((role) => botRoles.has(String(role)));
}

function answeredBy(raw: Fields): { readonly id?: string; readonly author?: unknown } {
  const { message_id: id, type = 0 } = fieldsOf(raw["message_reference"]);
  if (!isSnowflake(id) || type !== 0) return {};
  return { id, author: fieldsOf(fieldsOf(raw["referenced_message"])["author"])["id"] };
}

function quotedIn(
  raw: Fields,
  { id, author }: ReturnType<typeof answeredBy>,
  reading: Reading,
): Pick<ChatMessage, "quoted"> {
  const quoted = fieldsOf(raw["referenced_message"]);
  const from = personOf(quoted["author"], undefined);
  if (id === undefined || from === undefined || author === reading.account) return {};
  const text = readableText(quoted, reading);
  return text === "" ? {} : { quoted: { from: from.name, text } };
}

/** Their words; of a message that was passed on, the words of that one; of a sticker, its name. */
function textOf(raw: Fields, reading: Reading): string {
  const own = readableText(raw, reading);
  const passedOn = listOf(raw["message_snapshots"]).map((one) =>
    readableText(fieldsOf(fieldsOf(one)["message"]), reading),
  );
  const stickers = listOf(raw["sticker_items"]).map((one) => `(sticker: ${String(fieldsOf(one)["name"])})`);
  return [own, ...passedOn.map((text) => `Forwarded message:\n${text}`), ...stickers]
    .filter((text) => text !== "")
    .join("\n");
}

function filesOf(raw: Fields, chat: string, message: string): readonly ChatFile[] {
  const isVoice = (Number(raw["flags"] ?? 0) & voiceFlag) !== 0;
  const passedOn = listOf(raw["message_snapshots"]).flatMap((one) =>
    listOf(fieldsOf(fieldsOf(one)["message"])["attachments"]),
  );
  return [...listOf(raw["attachments"]), ...passedOn].flatMap((one): readonly ChatFile[] => {
    const { id, url, filename, content_type: type, size } = fieldsOf(one);
    if (!isSnowflake(id) || typeof url !== "string") return [];
    const mediaType = typeof type === "string" ? type : undefined;
    return [
      {
        handle: `${chat}/${message}/${id} ${url}`,
        kind: isVoice ? "voice" : mediaType?.startsWith("image/") === true ? "image" : "file",
        name: typeof filename === "string" ? filename : "file",
        ...(mediaType === undefined ? {} : { mediaType }),
        ...(typeof size === "number" ? { bytes: size } : {}),
      },
    ];
  });
}

const other = (what: string): ChatOther => ({ kind: "other", what });

const messageTypes = { plain: 0, reply: 19 };
const interactionTypes = { component: 3 };
const buttonComponent = 2;
const voiceFlag = 1 << 13;
