import { asPosted, isTooLongForEdit, whyRefused } from "./message-limits.ts";
import {
  type Block,
  type FakeFile,
  type FakeMessage,
  type FakeRoom,
  type Metadata,
  type World,
  fileJson,
  messageJson,
} from "./world.ts";

/** The fields of a form-encoded body. */
export type Args = Readonly<Record<string, string>>;
type Answer = { readonly ok: boolean; readonly error?: string };
type Method = (args: Args, world: World, at: Addresses) => Answer;
/** Where sockets are opened and files are. `posted`: something of the bot is new in a room. */
export type Addresses = {
  socketUrl(): string;
  readonly origin: string;
  posted(room: FakeRoom, message: FakeMessage): void;
};

const no = (error: string): Answer => ({ ok: false, error });
const yes = (more: object = {}): Answer => ({ ok: true, ...more });

/** Methods of the Web API by their names. Those that need the token of the app instead of the bot's are in `appMethods`. */
export const methods: Readonly<Record<string, Method>> = {
  "auth.test": (_args, world) =>
    yes({
      url: "https://fake.slack.test/",
      team: "Fake",
      user: "talaria",
      team_id: world.team,
      user_id: world.bot,
      bot_id: world.botId,
    }),
  "apps.connections.open": (_args, _world, at) => yes({ url: at.socketUrl() }),
  "users.info": ({ user = "" }, world) => {
    const person = world.people.get(user);
    if (person === undefined) return no("user_not_found");
    const { id, name, isBot } = person;
    return yes({
      user: { id, name: id.toLowerCase(), is_bot: isBot, profile: { display_name: name, real_name: name } },
    });
  },
  "conversations.info": ({ channel = "" }, world) => {
    const room = world.rooms.get(channel);
    if (room === undefined) return no("channel_not_found");
    return yes({
      channel: { id: room.id, name: room.name, is_im: room.kind === "im", is_archived: room.isArchived },
    });
  },
  "conversations.history": (args, world) => inRoom(args, world, (room) => history(args, world, room)),
  "conversations.replies": (args, world) => inRoom(args, world, (room) => replies(args, world, room)),
  "chat.postMessage": (args, world, at) => inRoom(args, world, (room) => post(args, world, room, at)),
  "chat.update": (args, world) => ofBot(args, world, (room, message) => update(args, room, message)),
  "chat.delete": (args, world) =>
    ofBot(args, world, (room, message) => {
      message.isDeleted = true;
      return yes({ channel: room.id, ts: message.ts });
    }),
  "chat.postEphemeral": (args, world) =>
    inRoom(args, world, (room) => {
      const { user = "", text = "", thread_ts: thread } = args;
      if (text === "") return no("no_text");
      world.ephemerals.push({ channel: room.id, user, text, ...(thread === undefined ? {} : { thread }) });
      return yes({ message_ts: world.nextTs() });
    }),
  "files.info": ({ file = "" }, world) => {
    const found = world.files.get(file);
    if (found === undefined) return no("file_not_found");
    const shares = Object.fromEntries([...found.shares].map(([room, ts]) => [room, [{ ts }]]));
    return yes({
      file: {
        ...fileJson(world, found),
        shares: { private: shares },
      },
    });
  },
  "files.getUploadURLExternal": ({ filename = "", length = "" }, world, at) => {
    if (filename === "" || !(Number(length) > 0)) return no("invalid_arguments");
    const file = newFile(world, filename, Number(length));
    return yes({ upload_url: `${at.origin}/upload/${file.id}`, file_id: file.id });
  },
  "files.completeUploadExternal": (args, world, at) => complete(args, world, at),
};

export const appMethods = new Set(["apps.connections.open"]);

function newFile(world: World, name: string, size: number): FakeFile {
  const id = world.nextId("F");
  const file: FakeFile = { id, name, size, mimetype: "application/octet-stream", shares: new Map() };
  world.files.set(id, file);
  return file;
}

function inRoom({ channel = "" }: Args, world: World, work: (room: FakeRoom) => Answer): Answer {
  const room = world.rooms.get(channel);
  if (room === undefined) return no("channel_not_found");
  if (!room.isMember) return no("not_in_channel");
  return work(room);
}

function ofBot(args: Args, world: World, work: (room: FakeRoom, message: FakeMessage) => Answer): Answer {
  return inRoom(args, world, (room) => {
    const message = room.messages.find(({ ts, isDeleted }) => ts === args["ts"] && !isDeleted);
    if (message === undefined) return no("message_not_found");
    return message.user === world.bot ? work(room, message) : no("cant_update_message");
  });
}

function post(args: Args, world: World, room: FakeRoom, at: Addresses): Answer {
  if (room.isArchived) return no("is_archived");
  const { text = "", thread_ts: thread } = args;
  const blocks = jsonOf<readonly Block[]>(args["blocks"]) ?? [];
  const why = whyRefused(text, blocks);
  if (why !== undefined) return no(why);
  if (thread !== undefined && !room.messages.some(({ ts }) => ts === thread))
    return no("cannot_reply_to_message");
  const message = add(world, room, {
    text: asPosted(text),
    blocks,
    thread,
    metadata: jsonOf(args["metadata"]),
  });
  at.posted(room, message);
  return yes({ channel: room.id, ts: message.ts, message: messageJson(world, room, message) });
}

function add(
  world: World,
  room: FakeRoom,
  said: {
    readonly text: string;
    readonly blocks?: readonly Block[];
    readonly thread?: string | undefined;
    readonly metadata?: Metadata | undefined;
    readonly files?: readonly FakeFile[];
  },
): FakeMessage {
  const message: FakeMessage = {
    ts: world.nextTs(),
    user: world.bot,
    botId: world.botId,
    text: said.text,
    blocks: said.blocks ?? [],
    files: said.files ?? [],
    edits: 0,
    isDeleted: false,
    ...(said.thread === undefined ? {} : { thread: said.thread }),
    ...(said.metadata === undefined ? {} : { metadata: said.metadata }),
  };
  room.messages.push(message);
  return message;
}

function update(args: Args, room: FakeRoom, message: FakeMessage): Answer {
  const { text = "" } = args;
  const blocks = jsonOf<readonly Block[]>(args["blocks"]) ?? [];
  const why = isTooLongForEdit(text) ? "msg_too_long" : whyRefused(text, blocks);
  if (why !== undefined) return no(why);
  Object.assign(message, { text, blocks, edits: message.edits + 1 });
  return yes({ channel: room.id, ts: message.ts, text });
}

function complete(args: Args, world: World, at: Addresses): Answer {
  const named = jsonOf<readonly { readonly id: string }[]>(args["files"]) ?? [];
  const files = named.map(({ id }) => world.files.get(id));
  if (files.some((file) => file?.bytes === undefined)) return no("file_not_found");
  return inRoom({ channel: args["channel_id"] ?? "" }, world, (room) => {
    const whole = files.filter((file) => file !== undefined);
    const { initial_comment: text = "", thread_ts: thread } = args;
    const message = add(world, room, { text, thread, files: whole });
    for (const file of whole) file.shares.set(room.id, message.ts);
    at.posted(room, message);
    return yes({ files: whole.map((file) => fileJson(world, file)) });
  });
}

/** Newest first; replies are not among them. */
function history(args: Args, world: World, room: FakeRoom): Answer {
  const top = room.messages.filter(({ thread, isDeleted }) => thread === undefined && !isDeleted);
  return page(args, between(args, top).toReversed(), world, room);
}

/** Oldest first, and the message that the thread hangs on before all others. */
function replies(args: Args, world: World, room: FakeRoom): Answer {
  const root = room.messages.find(({ ts, isDeleted }) => ts === args["ts"] && !isDeleted);
  if (root === undefined) return no("thread_not_found");
  const below = room.messages.filter(({ thread, isDeleted }) => thread === root.ts && !isDeleted);
  return page(args, [root, ...between(args, below)], world, room);
}

const between = ({ oldest = "0", latest = "9999999999.999999" }: Args, messages: readonly FakeMessage[]) =>
  messages
    .filter(({ ts }) => Number(ts) > Number(oldest) && Number(ts) < Number(latest))
    .toSorted((one, other) => Number(one.ts) - Number(other.ts));

function page(args: Args, all: readonly FakeMessage[], world: World, room: FakeRoom): Answer {
  const size = Math.min(Number(args["limit"] ?? 100), 999);
  const from = Number(args["cursor"] ?? 0);
  const withMetadata = args["include_all_metadata"] === "true";
  const hasMore = from + size < all.length;
  return yes({
    messages: all.slice(from, from + size).map((message) => messageJson(world, room, message, withMetadata)),
    has_more: hasMore,
    response_metadata: { next_cursor: hasMore ? String(from + size) : "" },
  });
}

const jsonOf = <T>(text: string | undefined): T | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as T);
