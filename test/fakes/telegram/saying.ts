import type { Entity } from "./limits.ts";
import {
  chatJson,
  type FakeChat,
  type FakePerson,
  personJson,
  type Room,
  type Update,
  type World,
} from "./world.ts";

export type SayOptions = {
  /** A topic of a forum. */
  readonly thread?: number;
  readonly replyTo?: number;
  readonly album?: string;
  /** Without those for `@names` and `/commands`, which are found in the text. */
  readonly entities?: readonly Entity[];
  readonly photo?: Buffer;
  readonly voice?: Buffer;
  readonly document?: { readonly bytes: Buffer; readonly name: string; readonly mediaType?: string };
  /** Any further fields of the platform's message. */
  readonly more?: object;
};

export type Said = { readonly messageId: number; readonly update: Update };

/** What people do: it becomes updates for the bot. */
export function newSaying(world: World, now: () => number, wake: () => void) {
  const push = (fields: object): Update => {
    const update: Update = { update_id: world.nextUpdate++, ...fields };
    world.updates.push(update);
    wake();
    return update;
  };
  let files = 0;
  const keep = (bytes: Buffer): string => {
    const id = `file-${(files += 1)}`;
    world.files.set(id, bytes);
    return id;
  };

  const say = (chat: FakeChat, from: FakePerson, text: string, options: SayOptions = {}): Said => {
    const room = world.room(chat);
    const id = room.nextMessage++;
    const json = {
      message_id: id,
      date: Math.floor(now() / 1000),
      chat: chatJson(chat),
      from: personJson(from),
      ...placeOf(room, options),
      ...contentOf(text, options, keep),
      ...options.more,
    };
    room.messages.set(id, { id, isBots: false, json, text, entities: [], hasPreview: false, edits: 0 });
    return { messageId: id, update: push({ message: json }) };
  };

  /** Somebody presses a button below a message of the bot; gives the name of the press. */
  const press = (chat: FakeChat | number, from: FakePerson, messageId: number, data: string): string => {
    const room = world.room(chat);
    const id = `press-${world.nextUpdate}`;
    world.presses.set(id, {});
    const message = room.messages.get(messageId)?.json ?? {
      message_id: messageId,
      date: 0,
      chat: chatJson(room.chat),
    };
    push({ callback_query: { id, from: personJson(from), chat_instance: "1", message, data } });
    return id;
  };

  return { say, press, push, keep };
}

function placeOf(room: Room, { thread, replyTo }: SayOptions): object {
  // In a topic, what answers nothing else answers the message that opened it.
  const replied = room.messages.get(replyTo ?? Number.NaN)?.json ?? openedTopic(room, thread);
  return {
    ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
    ...(replied === undefined ? {} : { reply_to_message: replied }),
  };
}

const openedTopic = ({ chat }: Room, thread: number | undefined): object | undefined =>
  thread === undefined
    ? undefined
    : {
        message_id: thread,
        date: 1,
        chat: chatJson(chat),
        forum_topic_created: { name: "Topic", icon_color: 1 },
      };

function contentOf(text: string, options: SayOptions, keep: (bytes: Buffer) => string): object {
  const { album, photo, voice, document } = options;
  const isCaption = photo !== undefined || voice !== undefined || document !== undefined;
  const entities = [...(options.entities ?? []), ...foundIn(text)];
  return {
    ...(text === "" ? {} : { [isCaption ? "caption" : "text"]: text }),
    ...(entities.length === 0 ? {} : { [isCaption ? "caption_entities" : "entities"]: entities }),
    ...(album === undefined ? {} : { media_group_id: album }),
    ...(photo === undefined ? {} : { photo: sizesOf(photo, keep) }),
    ...(voice === undefined
      ? {}
      : { voice: { ...fileJson(voice, keep), duration: 3, mime_type: "audio/ogg" } }),
    ...(document === undefined
      ? {}
      : {
          document: {
            ...fileJson(document.bytes, keep),
            file_name: document.name,
            ...(document.mediaType === undefined ? {} : { mime_type: document.mediaType }),
          },
        }),
  };
}

function fileJson(bytes: Buffer, keep: (bytes: Buffer) => string): object {
  const id = keep(bytes);
  return { file_id: id, file_unique_id: `u${id}`, file_size: bytes.length };
}

/** The largest is neither the first nor the last. */
const sizesOf = (photo: Buffer, keep: (bytes: Buffer) => string): readonly object[] => [
  { ...fileJson(photo.subarray(0, photo.length / 4), keep), width: 90, height: 60 },
  { ...fileJson(photo, keep), width: 1280, height: 853 },
  { ...fileJson(photo.subarray(0, photo.length / 2), keep), width: 320, height: 213 },
];

function foundIn(text: string): readonly Entity[] {
  const found = (pattern: RegExp, type: string): readonly Entity[] =>
    Array.from(text.matchAll(pattern), ({ 0: { length }, index }) => ({ type, offset: index, length }));
  return [
    ...found(/(?<![\w/])@\w{3,32}\b/g, "mention"),
    ...found(/(?<=^|\s)\/\w{1,32}(?:@\w{3,32})?/g, "bot_command"),
  ];
}
