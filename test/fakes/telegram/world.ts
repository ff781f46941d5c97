import type { Entity, Keyboard } from "./limits.ts";

export type FakePerson = {
  readonly id: number;
  readonly name: string;
  readonly username?: string;
  readonly isBot?: boolean;
};

/** `topics`: those of a forum besides the General one, which has no id. */
export type FakeChat = {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup" | "channel";
  readonly title?: string;
  readonly topics?: readonly number[];
};

/** A chat with one person has their id. */
export const direct = ({ id, name }: FakePerson): FakeChat => ({ id, type: "private", title: name });
export const group = (id: number, title: string): FakeChat => ({ id, type: "supergroup", title });
export const forum = (id: number, title: string, topics: readonly number[]): FakeChat => ({
  id,
  type: "supergroup",
  title,
  topics,
});

export type SentFile = {
  readonly kind: "photo" | "document";
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
};

/** A message of the bot as people see it. */
export type Shown = {
  readonly messageId: number;
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
  readonly thread?: number;
  readonly replyTo?: number;
  readonly file?: SentFile;
  readonly hasPreview: boolean;
  readonly edits: number;
};

/** Everything that the bot has done in a chat, in order. */
export type Deed = {
  readonly what: "sent" | "edited" | "deleted";
  readonly messageId: number;
  readonly text: string;
};

export type StoredMessage = {
  readonly id: number;
  readonly isBots: boolean;
  /** As the platform sends it. */
  json: Record<string, unknown>;
  text: string;
  entities: readonly Entity[];
  keyboard?: Keyboard;
  readonly thread?: number;
  readonly replyTo?: number;
  readonly file?: SentFile;
  hasPreview: boolean;
  edits: number;
};

export type Room = {
  chat: FakeChat;
  readonly messages: Map<number, StoredMessage>;
  readonly deeds: Deed[];
  nextMessage: number;
  blocked?: string;
  movedTo?: number;
};

export type Update = { readonly update_id: number } & Record<string, unknown>;

/** What there is on the platform: chats with their messages, files, and what the bot has not taken yet. */
export type World = {
  readonly bot: { readonly id: number; readonly username: string };
  readonly rooms: Map<number, Room>;
  readonly files: Map<string, Buffer>;
  readonly presses: Map<string, { answered?: string }>;
  updates: Update[];
  nextUpdate: number;
  room(chat: FakeChat | number): Room;
};

export function newWorld(bot: World["bot"]): World {
  const rooms = new Map<number, Room>();
  return {
    bot,
    rooms,
    files: new Map(),
    presses: new Map(),
    updates: [],
    nextUpdate: 700_001,
    room(chat) {
      const id = typeof chat === "number" ? chat : chat.id;
      const known = rooms.get(id);
      if (known !== undefined) {
        if (typeof chat !== "number") known.chat = chat;
        return known;
      }
      if (typeof chat === "number") throw new Error(`Nobody has spoken of a chat ${chat} before.`);
      const room: Room = { chat, messages: new Map(), deeds: [], nextMessage: 101 };
      rooms.set(id, room);
      return room;
    },
  };
}

export const personJson = ({ id, name, username, isBot = false }: FakePerson): object => ({
  id,
  is_bot: isBot,
  first_name: name,
  ...(username === undefined ? {} : { username }),
});

export const chatJson = ({ id, type, title, topics }: FakeChat): object => ({
  id,
  type,
  ...(type === "private" ? { first_name: title ?? "Somebody" } : { title: title ?? "Group" }),
  ...(topics === undefined ? {} : { is_forum: true }),
});

export const shownOf = (room: Room): readonly Shown[] =>
  [...room.messages.values()]
    .filter((message) => message.isBots)
    .map(({ id, text, entities, keyboard, thread, replyTo, file, hasPreview, edits }) => ({
      messageId: id,
      text,
      entities,
      buttons: (keyboard ?? [])
        .flat()
        .map((button) => ({ label: button.text, data: button.callback_data ?? "" })),
      ...(thread === undefined ? {} : { thread }),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(file === undefined ? {} : { file }),
      hasPreview,
      edits,
    }));
