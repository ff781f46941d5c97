/** What a workspace of the fake holds: people, rooms, messages and files. */

export type Metadata = {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, unknown>>;
};

export type FakeFile = {
  readonly id: string;
  readonly name: string;
  readonly mimetype: string;
  readonly size: number;
  readonly subtype?: string;
  bytes?: Buffer;
  readonly shares: Map<string, string>;
};

export type FakeMessage = {
  readonly ts: string;
  readonly user: string;
  readonly thread?: string;
  readonly botId?: string;
  readonly subtype?: string;
  text: string;
  blocks: readonly Block[];
  metadata?: Metadata;
  files: readonly FakeFile[];
  edits: number;
  isDeleted: boolean;
};

export type Block = {
  readonly type: string;
  readonly block_id?: string;
  readonly text?: { readonly type: string; readonly text: string };
  readonly elements?: readonly BlockButton[];
};
export type BlockButton = {
  readonly type: string;
  readonly action_id: string;
  readonly value?: string;
  readonly text: { readonly type: string; readonly text: string };
};

export type FakeRoom = {
  readonly id: string;
  readonly kind: "im" | "mpim" | "channel" | "group";
  readonly name: string;
  /** The bot is in it. */
  isMember: boolean;
  isArchived: boolean;
  readonly messages: FakeMessage[];
};

export type FakePerson = { readonly id: string; readonly name: string; readonly isBot: boolean };

export type Ephemeral = {
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly thread?: string;
};

export type World = {
  readonly team: string;
  readonly bot: string;
  readonly botId: string;
  readonly people: Map<string, FakePerson>;
  readonly rooms: Map<string, FakeRoom>;
  readonly files: Map<string, FakeFile>;
  /** Where files are fetched from. */
  origin: string;
  readonly ephemerals: Ephemeral[];
  scopes: readonly string[];
  /** A new name for a message, later than all before it. */
  nextTs(): string;
  nextId(prefix: string): string;
  room(id: string): FakeRoom;
};

export const allScopes = [
  "chat:write",
  "im:history",
  "channels:history",
  "groups:history",
  "mpim:history",
  "app_mentions:read",
  "files:read",
  "files:write",
  "users:read",
  "channels:read",
];

/** `now`: the platform's own clock, which may be another one than ours. */
export function newWorld(now: () => number): World {
  let lastMicros = 0;
  let ids = 0;
  const rooms = new Map<string, FakeRoom>();
  return {
    team: "T0FAKE",
    bot: "U0BOT",
    botId: "B0BOT",
    people: new Map([["U0BOT", { id: "U0BOT", name: "talaria", isBot: true }]]),
    rooms,
    files: new Map(),
    origin: "",
    ephemerals: [],
    scopes: allScopes,
    nextTs() {
      lastMicros = Math.max(lastMicros + 1, Math.floor(now()) * 1000);
      return `${Math.floor(lastMicros / 1e6)}.${String(lastMicros % 1e6).padStart(6, "0")}`;
    },
    nextId: (prefix) => `${prefix}${String((ids += 1)).padStart(4, "0")}`,
    room(id) {
      const known = rooms.get(id);
      if (known !== undefined) return known;
      const made: FakeRoom = {
        id,
        kind: kindOf(id),
        name: `room-${id.toLowerCase()}`,
        isMember: true,
        isArchived: false,
        messages: [],
      };
      rooms.set(id, made);
      return made;
    },
  };
}

/** Direct chats begin with D; G stands for a group of people here. */
function kindOf(id: string): FakeRoom["kind"] {
  if (id.startsWith("D")) return "im";
  return id.startsWith("G") ? "mpim" : "channel";
}

/** A message as the API and events give it. */
export function messageJson(
  world: World,
  room: FakeRoom,
  message: FakeMessage,
  withMetadata = false,
): object {
  const replies = room.messages.filter((other) => other.thread === message.ts && !other.isDeleted);
  return {
    type: "message",
    ts: message.ts,
    user: message.user,
    text: message.text,
    team: world.team,
    ...(message.botId === undefined ? {} : { bot_id: message.botId }),
    ...(message.subtype === undefined ? {} : { subtype: message.subtype }),
    ...(message.thread === undefined
      ? {}
      : { thread_ts: message.thread, parent_user_id: parentOf(room, message) }),
    ...(message.blocks.length === 0 ? {} : { blocks: message.blocks }),
    ...(message.files.length === 0 ? {} : { files: message.files.map((file) => fileJson(world, file)) }),
    ...(withMetadata && message.metadata !== undefined ? { metadata: message.metadata } : {}),
    ...(replies.length === 0
      ? {}
      : {
          thread_ts: message.ts,
          reply_count: replies.length,
          reply_users: [...new Set(replies.map(({ user }) => user))].slice(0, 5),
          latest_reply: replies.at(-1)?.ts,
        }),
  };
}

const parentOf = (room: FakeRoom, message: FakeMessage) =>
  room.messages.find(({ ts }) => ts === message.thread)?.user;

export const fileJson = ({ origin }: World, file: FakeFile): object => ({
  id: file.id,
  name: file.name,
  title: file.name,
  mimetype: file.mimetype,
  size: file.size,
  url_private_download: `${origin}/files/${file.id}`,
  mode: "hosted",
  ...(file.subtype === undefined ? {} : { subtype: file.subtype }),
});
