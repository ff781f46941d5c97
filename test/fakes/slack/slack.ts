import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { onLoopback } from "../../loopback.ts";
import { type Fault, type Faults, newFaults } from "./faults.ts";
import { type Sockets, newSockets } from "./sockets.ts";
import { type Args, type Addresses, appMethods, methods } from "./web-api.ts";
import {
  type Ephemeral,
  type FakeFile,
  type FakeMessage,
  type FakeRoom,
  type Metadata,
  type World,
  messageJson,
  newWorld,
} from "./world.ts";

export type Said = {
  readonly thread?: string;
  readonly files?: readonly {
    readonly name: string;
    readonly mimetype: string;
    readonly bytes: Buffer;
    readonly subtype?: string;
  }[];
  readonly subtype?: string;
  readonly botId?: string;
};

/** A message as people see it. */
export type Shown = {
  readonly ts: string;
  readonly from: string;
  readonly isBot: boolean;
  readonly thread?: string;
  /** That of its blocks, if it has some. */
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
  readonly files: readonly { readonly id: string; readonly name: string; readonly bytes: Buffer }[];
  readonly metadata?: Metadata;
  readonly edits: number;
};

export type ApiCall = { readonly method: string; readonly args: Args };

/** Slack on loopback: its Web API and Socket Mode, with faults on demand. */
export type FakeSlack = AsyncDisposable & {
  /** For the setting `api`: the address of the Web API. */
  readonly api: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly team: string;
  readonly bot: string;
  readonly world: World;
  /** Somebody of the workspace. Whoever says something is made known by that, too. */
  person(id: string, name: string, isBot?: boolean): void;
  /** A room and what is the matter with it. Direct chats begin with D, groups of people with G, channels with C. */
  room(id: string, change?: Partial<Pick<FakeRoom, "isMember" | "isArchived">>): FakeRoom;
  /** Somebody says something; gives the name of the message. What names the bot as `<@…>` also comes as a mention. */
  say(channel: string, from: string, text: string, options?: Said): string;
  /** Somebody presses a button of a message of the bot. */
  press(channel: string, ts: string, from: string, data: string): void;
  /** What there is to see in a room, oldest first, threads among it. */
  shown(channel: string): readonly Shown[];
  readonly ephemerals: readonly Ephemeral[];
  readonly calls: readonly ApiCall[];
  /** Calls that have come and are not answered. */
  readonly openCalls: () => number;
  readonly faults: Faults;
  readonly sockets: Sockets;
  /** Resolves when it is so; looked at whenever something happens here. */
  until(isSo: () => boolean): Promise<void>;
  /** All that was delivered is acknowledged, and no call is open. */
  settled(): Promise<void>;
};

export type FakeSlackOptions = {
  /** Its own clock. */
  readonly now?: () => number;
  /** How long an acknowledgement is awaited, in real time. */
  readonly ackMs?: number;
  readonly pingMs?: number;
};

export async function startSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  // eslint-disable-next-line no-restricted-properties -- the platform's own time
  const { now = () => Date.now(), ackMs = 3000, pingMs = 5000 } = options;
  const world = newWorld(now);
  const [faults, calls, news] = [newFaults(), [] as ApiCall[], newNews()];
  const open = { calls: 0 };
  const server = createServer((request, response) => {
    open.calls += 1;
    response.once("close", () => {
      open.calls -= 1;
      news.changed();
    });
    void serve(request, response, { world, faults, calls, at }).finally(news.changed);
  });
  const bound = await onLoopback(server);
  world.origin = bound.origin;
  const at: Addresses = {
    origin: bound.origin,
    socketUrl: () => `${bound.origin.replace("http", "ws")}/link/?ticket=${world.nextId("ticket")}&app_id=A0`,
    posted: () => {},
  };
  const sockets = newSockets(server, { ackMs, pingMs }, news.changed);
  return {
    ...tokens,
    api: `${bound.origin}/api/`,
    team: world.team,
    bot: world.bot,
    world,
    faults,
    sockets,
    calls,
    ephemerals: world.ephemerals,
    openCalls: () => open.calls,
    person: (id, name, isBot = false) => void world.people.set(id, { id, name, isBot }),
    room: (id, change = {}) => Object.assign(world.room(id), change),
    say: (channel, from, text, said = {}) => say(world, sockets, channel, { from, text, said }),
    press: (channel, ts, from, data) => press(world, sockets, channel, { ts, from, data }),
    shown: (channel) =>
      world
        .room(channel)
        .messages.filter(({ isDeleted }) => !isDeleted)
        .map((message) => shownOf(world, message)),
    until: news.until,
    settled: () => news.until(() => sockets.counts.unacknowledged === 0 && open.calls === 0),
    async [Symbol.asyncDispose]() {
      await sockets[Symbol.asyncDispose]();
      await bound[Symbol.asyncDispose]();
    },
  };
}

const tokens = { botToken: "xoxb-fake-bot", appToken: "xapp-fake-app", signingSecret: "fake-signing-secret" };

function newNews(): { changed(): void; until(isSo: () => boolean): Promise<void> } {
  let next = Promise.withResolvers<void>();
  return {
    changed() {
      next.resolve();
      next = Promise.withResolvers<void>();
    },
    async until(isSo) {
      while (!isSo()) await next.promise;
    },
  };
}

type Desk = {
  readonly world: World;
  readonly faults: Faults;
  readonly calls: ApiCall[];
  readonly at: Addresses;
};

async function serve(request: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  response.on("error", () => {}); // whoever asked is gone
  const body = await request.toArray().then(Buffer.concat, () => undefined);
  if (body === undefined) return;
  const [, kind, name = ""] = new URL(request.url ?? "", "http://fake").pathname.split("/");
  const method = kind === "api" ? name : (kind ?? "");
  const args = kind === "api" ? Object.fromEntries(new URLSearchParams(body.toString())) : { name };
  desk.calls.push({ method, args });
  const fault = desk.faults.take(method);
  const isDone = fault === undefined || fault.kind === "acceptedThenDropped" || fault.kind === "garbled";
  if (!isDone && !(fault.kind === "hang" && fault.done)) return goWrong(response, fault);
  const answer =
    kind === "api" ? answerOf(request, method, args, desk) : fileAnswer(request, method, name, body, desk);
  if (fault !== undefined) return goWrong(response, fault, answer.body);
  response.writeHead(answer.status ?? 200, {
    "content-type": answer.type,
    "x-oauth-scopes": desk.world.scopes.join(","),
  });
  response.end(answer.body);
}

type Reply = { readonly status?: number; readonly type: string; readonly body: Buffer };
const jsonReply = (value: object): Reply => ({
  type: "application/json",
  body: Buffer.from(JSON.stringify(value)),
});

function answerOf(request: IncomingMessage, name: string, args: Args, { world, at }: Desk): Reply {
  const token = request.headers.authorization?.replace("Bearer ", "");
  if (token !== tokens.botToken && token !== tokens.appToken)
    return jsonReply({ ok: false, error: "invalid_auth" });
  const wanted = appMethods.has(name) ? tokens.appToken : tokens.botToken;
  if (token !== wanted) return jsonReply({ ok: false, error: "not_allowed_token_type" });
  const method = methods[name];
  return jsonReply(method === undefined ? { ok: false, error: "unknown_method" } : method(args, world, at));
}

/** The bytes of files go to and come from other addresses than calls. */
function fileAnswer(
  request: IncomingMessage,
  kind: string,
  id: string,
  body: Buffer,
  { world }: Desk,
): Reply {
  const file = world.files.get(id);
  if (file === undefined) return { status: 404, type: "text/plain", body: Buffer.from("not found") };
  if (kind === "upload") {
    if (body.length !== file.size) return { status: 400, type: "text/plain", body: Buffer.from("size") };
    file.bytes = body;
    return { type: "text/plain", body: Buffer.from(`OK - ${body.length}`) };
  }
  if (request.headers.authorization !== `Bearer ${tokens.botToken}`) {
    return { type: "text/html; charset=utf-8", body: Buffer.from("<!DOCTYPE html><title>Sign in</title>") };
  }
  return { type: file.mimetype, body: file.bytes ?? Buffer.alloc(0) };
}

function goWrong(response: ServerResponse, fault: Fault, body?: Buffer): void {
  switch (fault.kind) {
    case "hang":
      return;
    case "dropped":
    case "acceptedThenDropped":
      return void response.socket?.destroy();
    case "garbled":
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(body?.subarray(0, Math.floor(body.length / 2)));
    case "status":
      return void response.writeHead(fault.status).end(fault.body ?? "");
    case "rateLimited": {
      const after = fault.seconds === undefined ? {} : { "retry-after": String(fault.seconds) };
      return void response
        .writeHead(429, { "content-type": "application/json", ...after })
        .end(JSON.stringify({ ok: false, error: "ratelimited" }));
    }
    case "error":
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ ok: false, error: fault.error, ...fault.more }));
  }
}

function say(
  world: World,
  sockets: Sockets,
  channel: string,
  { from, text, said }: { readonly from: string; readonly text: string; readonly said: Said },
): string {
  if (!world.people.has(from)) world.people.set(from, { id: from, name: `Person ${from}`, isBot: false });
  const room = world.room(channel);
  const files = (said.files ?? []).map((file) => addFile(world, file));
  const message: FakeMessage = {
    ts: world.nextTs(),
    user: from,
    text,
    blocks: [],
    files,
    edits: 0,
    isDeleted: false,
    ...(said.thread === undefined ? {} : { thread: said.thread }),
    ...(said.botId === undefined ? {} : { botId: said.botId }),
    ...(said.subtype === undefined && files.length === 0 ? {} : { subtype: said.subtype ?? "file_share" }),
  };
  room.messages.push(message);
  for (const file of files) file.shares.set(channel, message.ts);
  const event = { ...messageJson(world, room, message), channel, event_ts: message.ts };
  deliverEvent(world, sockets, { ...event, channel_type: room.kind });
  if (room.kind !== "im" && text.includes(`<@${world.bot}`))
    deliverEvent(world, sockets, { ...event, type: "app_mention" });
  return message.ts;
}

function addFile(world: World, file: NonNullable<Said["files"]>[number]): FakeFile {
  const made: FakeFile = { ...file, id: world.nextId("F"), size: file.bytes.length, shares: new Map() };
  world.files.set(made.id, made);
  return made;
}

function deliverEvent(world: World, sockets: Sockets, event: object): void {
  const payload = {
    type: "event_callback",
    team_id: world.team,
    api_app_id: "A0",
    event_id: world.nextId("Ev"),
    event,
  };
  sockets.deliver({ envelope_id: world.nextId("env"), type: "events_api", payload });
}

function press(
  world: World,
  sockets: Sockets,
  channel: string,
  { ts, from, data }: { readonly ts: string; readonly from: string; readonly data: string },
): void {
  const room = world.room(channel);
  const message = room.messages.find((one) => one.ts === ts);
  const buttons = message?.blocks.flatMap(({ block_id, elements = [] }) =>
    elements.map((one) => ({ ...one, block_id })),
  );
  const button = buttons?.find(({ value }) => value === data);
  if (message === undefined || button === undefined) throw new Error(`no button ${data} in ${channel}/${ts}`);
  const thread = message.thread === undefined ? {} : { thread_ts: message.thread };
  const payload = {
    type: "block_actions",
    team: { id: world.team },
    user: { id: from, username: from.toLowerCase(), name: world.people.get(from)?.name ?? from },
    container: { type: "message", message_ts: ts, channel_id: channel, is_ephemeral: false, ...thread },
    channel: { id: channel, name: room.kind === "im" ? "directmessage" : room.name },
    message: messageJson(world, room, message),
    actions: [{ ...button, action_ts: world.nextTs() }],
  };
  sockets.deliver({ envelope_id: world.nextId("env"), type: "interactive", payload });
}

function shownOf(world: World, message: FakeMessage): Shown {
  const sections = message.blocks.flatMap(({ text }) => text?.text ?? []);
  return {
    ts: message.ts,
    from: message.user,
    isBot: message.user === world.bot,
    text: sections.length > 0 ? sections.join("\n") : message.text,
    buttons: message.blocks.flatMap(({ elements = [] }) =>
      elements.map((button) => ({ label: button.text.text, data: button.value ?? "" })),
    ),
    files: message.files.map(({ id, name, bytes = Buffer.alloc(0) }) => ({ id, name, bytes })),
    edits: message.edits,
    ...(message.thread === undefined ? {} : { thread: message.thread }),
    ...(message.metadata === undefined ? {} : { metadata: message.metadata }),
  };
}
