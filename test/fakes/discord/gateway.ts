import type { Server } from "node:http";
import { WebSocket, WebSocketServer } from "ws";
import { eventOf, type World } from "./world.ts";

type Frame = { readonly op: number; readonly d?: unknown; readonly s?: number; readonly t?: string };
type Session = { readonly id: string; seq: number; readonly sent: Frame[]; socket: WebSocket | undefined };

export type GatewayCounts = {
  connections: number;
  identifies: number;
  resumes: number;
  readonly open: number;
  /** Heartbeats that came. */
  beats: number;
};

/** The socket side of the fake, and what can go wrong with it. */
export type Gateway = {
  readonly counts: GatewayCounts;
  /** Tells every session; one without a socket gets it when it resumes. */
  dispatch(type: string, data: unknown): void;
  /** The next ones are lost: their numbers are used up (`gap`), or not even that. */
  lose(count: number, how?: "gap" | "silently"): void;
  /** Cuts all sockets. 1006: without a word; 1005: without a code. */
  close(code: number): void;
  /** Sends a frame as it is. */
  raw(frame: unknown): void;
  /** From now on sockets that are open say nothing more, not even that a heartbeat came. */
  zombie(): void;
  /** Sessions are not known any more: whoever resumes hears of an invalid session. */
  forget(): void;
  /** What comes of connecting: as usual, a close code after the token, no answer to a RESUME, or nothing at all. */
  behaviour: "usual" | "mute" | "resume unanswered" | { readonly close: number };
  /** Resolves at the n-th READY or RESUMED from now on. */
  joined(n?: number): Promise<void>;
  /** Resolves when the next socket that comes has gone again. */
  cameAndWent(): Promise<void>;
};

export function makeGateway(
  server: Server,
  world: World,
  {
    token,
    heartbeatMs,
    url,
  }: { readonly token: string; readonly heartbeatMs: number; readonly url: () => string },
): Gateway & Disposable {
  const wss = new WebSocketServer({ server, path: "/gateway" });
  const sessions = new Map<string, Session>();
  const mute = new WeakSet<WebSocket>();
  const counts = { connections: 0, identifies: 0, resumes: 0, beats: 0, open: 0 };
  const passing = new Set<() => void>();
  const waiting = new Set<{ left: number; readonly done: () => void }>();
  let losing = { count: 0, gap: true };

  const write = (socket: WebSocket | undefined, frame: unknown): void => {
    if (socket === undefined || mute.has(socket) || socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify(frame));
  };
  const tell = (session: Session, type: string, data: unknown): void => {
    session.seq += 1;
    const frame = { op: 0, s: session.seq, t: type, d: data };
    session.sent.push(frame);
    write(session.socket, frame);
  };
  const joined = (): void => {
    for (const one of waiting) {
      one.left -= 1;
      if (one.left > 0) continue;
      waiting.delete(one);
      one.done();
    }
  };

  const identify = (socket: WebSocket, data: { readonly token?: string }): void => {
    counts.identifies += 1;
    if (data.token !== token) return socket.close(4004, "Authentication failed.");
    const session: Session = { id: world.snowflake(), seq: 0, sent: [], socket };
    sessions.set(session.id, session);
    tell(session, "READY", ready(world, session.id, url()));
    tell(session, "GUILD_CREATE", guildCreate(world));
    joined();
  };
  const resume = (socket: WebSocket, data: { readonly session_id?: string; readonly seq?: number }): void => {
    counts.resumes += 1;
    if (gateway.behaviour === "resume unanswered") return;
    const session = sessions.get(data.session_id ?? "");
    if (session === undefined) return write(socket, { op: 9, d: false });
    session.socket = socket;
    for (const frame of session.sent) if ((frame.s ?? 0) > (data.seq ?? 0)) write(socket, frame);
    tell(session, "RESUMED", {});
    joined();
  };
  const hear = (socket: WebSocket, { op, d }: Frame): void => {
    if (mute.has(socket)) return;
    if (op === 1) {
      counts.beats += 1;
      return write(socket, { op: 11 });
    }
    if (op !== 2 && op !== 6) return;
    if (typeof gateway.behaviour === "object") return socket.close(gateway.behaviour.close);
    if (op === 2) return identify(socket, d as object);
    return resume(socket, d as object);
  };

  wss.on("connection", (socket) => {
    counts.connections += 1;
    counts.open += 1;
    if (gateway.behaviour === "mute") mute.add(socket);
    const passed = [...passing];
    passing.clear();
    socket.on("error", () => {});
    socket.on("close", () => {
      counts.open -= 1;
      for (const done of passed) done();
      for (const session of sessions.values()) if (session.socket === socket) session.socket = undefined;
    });
    socket.on("message", (data) => hear(socket, JSON.parse(String(data)) as Frame));
    write(socket, { op: 10, d: { heartbeat_interval: heartbeatMs } });
  });

  const gateway: Gateway & Disposable = {
    counts,
    behaviour: "usual",
    dispatch(type, data) {
      const isLost = losing.count > 0;
      if (isLost) losing = { ...losing, count: losing.count - 1 };
      for (const session of sessions.values()) {
        if (!isLost) tell(session, type, data);
        if (isLost && losing.gap) session.seq += 1;
      }
    },
    lose: (count, how = "gap") => (losing = { count, gap: how === "gap" }),
    close: (code) => wss.clients.forEach((socket) => cut(socket, code)),
    raw: (frame) => wss.clients.forEach((socket) => write(socket, frame)),
    zombie: () => wss.clients.forEach((socket) => mute.add(socket)),
    forget: () => sessions.clear(),
    joined: (n = 1) => new Promise((resolve) => waiting.add({ left: n, done: resolve })),
    cameAndWent: () => new Promise((resolve) => passing.add(resolve)),
    [Symbol.dispose]() {
      for (const socket of wss.clients) socket.terminate();
      wss.close();
    },
  };
  return gateway;
}

function cut(socket: WebSocket, code: number): void {
  if (code === 1006) return socket.terminate();
  if (code === 1005) return socket.close();
  socket.close(code);
}

const ready = (world: World, session: string, url: string): unknown => ({
  v: 10,
  user: world.bot,
  guilds: [{ id: world.guild.id, unavailable: true }],
  session_id: session,
  resume_gateway_url: url,
  application: { id: world.bot.id, flags: 1 << 19 },
  private_channels: [],
});

function guildCreate(world: World): unknown {
  const ofServer = [...world.channels.values()].filter((channel) => channel.guild_id !== undefined);
  return {
    ...world.guild,
    channels: ofServer.filter((channel) => channel.type === 0),
    threads: ofServer.filter((channel) => channel.type === 11),
    roles: [
      { id: world.guild.id, name: "@everyone", permissions: "0", position: 0 },
      { id: world.botRole, name: "Talaria", permissions: "0", position: 1, tags: { bot_id: world.bot.id } },
    ],
    members: [],
    member_count: world.users.size,
    emojis: [],
    stickers: [],
    features: [],
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    unavailable: false,
  };
}

/** Tells of messages that are there: any of them, in any order, as often as they are named. */
export function deliver(world: World, gateway: Gateway, channel: string, ids: readonly string[]): void {
  for (const id of ids) {
    const message = world.find(channel, id);
    if (message !== undefined) gateway.dispatch("MESSAGE_CREATE", eventOf(world, message));
  }
}
