import {
  badRequest,
  checkEntities,
  checkKeyboard,
  checkText,
  type Keyboard,
  most,
  ApiRefusal,
} from "./limits.ts";
import type { Form, Upload } from "./multipart.ts";
import { chatJson, personJson, type Room, type SentFile, type StoredMessage, type World } from "./world.ts";

export type Args = Readonly<Record<string, unknown>>;
type Method = (world: World, args: Args, files: Form["files"], now: number) => unknown;

/** What the Bot API does. Each throws an ApiRefusal as the platform would answer. */
export const methods: Readonly<Record<string, Method>> = {
  getMe: ({ bot }) => ({
    id: bot.id,
    is_bot: true,
    first_name: "Talaria",
    username: bot.username,
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
  }),

  sendMessage(world, args, _files, now) {
    const text = checkText(args["text"], most.text, "message is too long");
    if (text.trim() === "") throw badRequest("message text is empty");
    return post(world, args, now, text, args["entities"]);
  },
  sendDocument: (world, args, files, now) => postFile(world, args, files, now, "document"),
  sendPhoto: (world, args, files, now) => postFile(world, args, files, now, "photo"),

  editMessageText(world, args) {
    const text = checkText(args["text"], most.text, "message is too long");
    if (text.trim() === "") throw badRequest("message text is empty");
    return edit(world, args, text, args["entities"], false);
  },
  editMessageCaption(world, args) {
    const text = checkText(args["caption"], most.caption, "message caption is too long");
    return edit(world, args, text, args["caption_entities"], true);
  },

  deleteMessage(world, args) {
    const room = roomOf(world, args);
    const message = room.messages.get(Number(args["message_id"]));
    if (message === undefined) throw badRequest("message to delete not found");
    room.messages.delete(message.id);
    room.deeds.push({ what: "deleted", messageId: message.id, text: message.text });
    return true;
  },

  sendChatAction(world, args) {
    threadOf(roomOf(world, args), args);
    if (args["action"] !== "typing") throw badRequest("wrong parameter action in request");
    return true;
  },

  answerCallbackQuery(world, args) {
    const press = world.presses.get(String(args["callback_query_id"]));
    if (press === undefined || press.answered !== undefined) {
      throw badRequest("query is too old and response timeout expired or query ID is invalid");
    }
    press.answered = checkText(args["text"] ?? "", most.alertText, "MESSAGE_TOO_LONG");
    return true;
  },

  getFile(world, args) {
    const id = String(args["file_id"]);
    const bytes = world.files.get(id);
    if (bytes === undefined) throw badRequest("wrong file_id or the file is temporarily unavailable");
    if (bytes.length > most.downloadBytes) throw badRequest("file is too big");
    return { file_id: id, file_unique_id: `u${id}`, file_size: bytes.length, file_path: `documents/${id}` };
  },
};

function roomOf(world: World, args: Args): Room {
  const room = world.rooms.get(Number(args["chat_id"]));
  if (room === undefined) throw badRequest("chat not found");
  if (room.blocked !== undefined) throw new ApiRefusal(403, room.blocked);
  if (room.movedTo !== undefined) {
    throw new ApiRefusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
      parameters: { migrate_to_chat_id: room.movedTo },
    });
  }
  return room;
}

/** The General topic of a forum has no id that could be sent to. */
function threadOf({ chat }: Room, args: Args): number | undefined {
  const thread = args["message_thread_id"];
  if (thread === undefined) return undefined;
  if (chat.topics?.includes(Number(thread)) !== true) throw badRequest("message thread not found");
  return Number(thread);
}

function post(world: World, args: Args, now: number, text: string, given: unknown, file?: SentFile): object {
  const room = roomOf(world, args);
  const thread = threadOf(room, args);
  const entities = checkEntities(text, given);
  const keyboard = checkKeyboard(args["reply_markup"]);
  const replyTo = replyOf(room, args);
  const id = room.nextMessage++;
  const preview = args["link_preview_options"] as { readonly is_disabled?: boolean } | undefined;
  const message: StoredMessage = {
    id,
    isBots: true,
    json: {
      message_id: id,
      date: Math.floor(now / 1000),
      chat: chatJson(room.chat),
      from: personJson({ id: world.bot.id, name: "Talaria", username: world.bot.username, isBot: true }),
      ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
    },
    text,
    entities,
    ...(keyboard === undefined ? {} : { keyboard }),
    ...(thread === undefined ? {} : { thread }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(file === undefined ? {} : { file }),
    hasPreview: preview?.is_disabled !== true && /https?:/.test(text) && file === undefined,
    edits: 0,
  };
  room.messages.set(id, message);
  room.deeds.push({ what: "sent", messageId: id, text });
  return { ...message.json, text, entities };
}

function replyOf(room: Room, args: Args): number | undefined {
  const reply = args["reply_parameters"] as
    | { readonly message_id: number; readonly allow_sending_without_reply?: boolean }
    | undefined;
  if (reply === undefined) return undefined;
  if (room.messages.has(reply.message_id)) return reply.message_id;
  if (reply.allow_sending_without_reply !== true) throw badRequest("message to be replied not found");
  return undefined;
}

function postFile(
  world: World,
  args: Args,
  files: Form["files"],
  now: number,
  kind: "photo" | "document",
): object {
  const caption = checkText(args["caption"], most.caption, "message caption is too long");
  const upload = files.get(String(args[kind]).replace(/^attach:\/\//, "")) ?? files.get(kind);
  if (upload === undefined || upload.bytes.length === 0) throw badRequest("file must be non-empty");
  if (kind === "photo") checkPhoto(upload);
  if (upload.bytes.length > most.uploadBytes) throw new ApiRefusal(413, "Request Entity Too Large");
  return post(world, args, now, caption, args["caption_entities"], { kind, ...upload });
}

function checkPhoto({ bytes }: Upload): void {
  if (bytes.length > most.photoBytes) {
    throw badRequest(
      `file of size ${bytes.length} bytes is too big for a photo; the maximum size is ${most.photoBytes} bytes`,
    );
  }
  const head = bytes.toString("latin1", 0, 12);
  if (!/^(?:\u0089PNG|\u00FF\u00D8\u00FF|GIF8|RIFF[^]{4}WEBP)/.test(head))
    throw badRequest("IMAGE_PROCESS_FAILED");
}

function edit(world: World, args: Args, text: string, given: unknown, isCaption: boolean): object {
  const room = roomOf(world, args);
  const message = room.messages.get(Number(args["message_id"]));
  if (message === undefined || !message.isBots) throw badRequest("message to edit not found");
  if (!isCaption && message.file !== undefined) throw badRequest("there is no text in the message to edit");
  const entities = checkEntities(text, given);
  const keyboard = checkKeyboard(args["reply_markup"]);
  if (same(message, text, entities, keyboard)) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  const preview = args["link_preview_options"] as { readonly is_disabled?: boolean } | undefined;
  Object.assign(message, { text, entities, keyboard, edits: message.edits + 1 });
  message.hasPreview = preview?.is_disabled !== true && /https?:/.test(text) && message.file === undefined;
  room.deeds.push({ what: "edited", messageId: message.id, text });
  return { ...message.json, text, entities, edit_date: 1 };
}

const same = (
  message: StoredMessage,
  text: string,
  entities: unknown,
  keyboard: Keyboard | undefined,
): boolean =>
  message.text === text &&
  JSON.stringify([message.entities, message.keyboard ?? []]) === JSON.stringify([entities, keyboard ?? []]);
