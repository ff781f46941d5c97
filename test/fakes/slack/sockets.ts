import type { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";

export type Envelope = {
  readonly envelope_id: string;
  readonly type: "events_api" | "interactive" | "slash_commands";
  readonly payload: object;
};

/** The side of Socket Mode that Slack has. An envelope that is not acknowledged comes again, up to three times. */
export type Sockets = AsyncDisposable & {
  deliver(envelope: Envelope): void;
  /** Envelopes are kept back until `resume`, which delivers what `arrange` makes of them: in another order, twice, or not at all. */
  pause(): void;
  resume(arrange?: (kept: readonly Envelope[]) => readonly Envelope[]): void;
  /** Those that nobody has acknowledged come again now, instead of after their time. */
  redeliver(): void;
  /** Whether what happens now is never delivered. */
  lose(isLost: boolean): void;
  /** The connections break off. */
  cut(): void;
  /** Says that the newest connection will be closed soon. */
  goodbye(reason?: "warning" | "refresh_requested" | "link_disabled"): void;
  /** The connections of now stay open, and nothing comes over them any more. */
  becomeZombies(): void;
  /** Whether new connections are greeted. */
  greet(isGreeted: boolean): void;
  /** Sends a ping over all connections; resolves when it was answered by those that live. */
  ping(): Promise<void>;
  /** Sends this as it is. */
  sendRaw(frame: string): void;
  /** What was said in acknowledgements of slash commands: whoever typed it sees that alone. */
  readonly replies: readonly unknown[];
  /** `open`: greeted, and not closed. `connected`: all that are not closed. */
  readonly counts: Readonly<
    Record<"open" | "connected" | "ever" | "acked" | "unacknowledged" | "redelivered", number>
  >;
};

type Link = { readonly socket: WebSocket; isZombie: boolean; isLeaving: boolean };
type Pending = { readonly envelope: Envelope; attempt: number; link?: Link; timer?: NodeJS.Timeout };

const mostRetries = 3;

export function newSockets(
  server: Server,
  options: { readonly ackMs: number; readonly pingMs: number },
  changed: () => void,
): Sockets {
  const links = new Set<Link>();
  const pending = new Map<string, Pending>();
  const replies: unknown[] = [];
  const state = {
    ever: 0,
    acked: 0,
    redelivered: 0,
    isLost: false,
    isGreeted: true,
    kept: undefined as Envelope[] | undefined,
  };
  const listening = new WebSocketServer({ server, autoPong: false });
  // eslint-disable-next-line no-restricted-globals -- the platform's own time
  const pings = setInterval(() => live().forEach(({ socket }) => socket.ping()), options.pingMs).unref();

  const live = (): readonly Link[] => [...links].filter(({ isZombie }) => !isZombie);
  const newest = (): Link | undefined =>
    [...links].findLast(({ isLeaving }) => !isLeaving) ?? [...links].at(-1);

  function dispatch(one: Pending): void {
    clearTimeout(one.timer);
    const link = newest();
    delete one.link;
    if (link === undefined) return;
    one.link = link;
    // eslint-disable-next-line no-restricted-globals -- the platform's own time
    one.timer = setTimeout(() => again(one), options.ackMs).unref();
    const retry = one.attempt === 0 ? {} : { retry_attempt: one.attempt, retry_reason: "timeout" };
    const frame = {
      ...one.envelope,
      accepts_response_payload: one.envelope.type === "slash_commands",
      ...retry,
    };
    if (!link.isZombie) link.socket.send(JSON.stringify(frame));
  }

  function again(one: Pending): void {
    one.attempt += 1;
    state.redelivered += 1;
    if (one.attempt <= mostRetries) return dispatch(one);
    clearTimeout(one.timer);
    pending.delete(one.envelope.envelope_id);
    changed();
  }

  function deliver(envelope: Envelope): void {
    if (state.isLost) return;
    if (state.kept !== undefined) return void state.kept.push(envelope);
    const one: Pending = { envelope, attempt: 0 };
    pending.set(envelope.envelope_id, one);
    dispatch(one);
  }

  function acknowledged(frame: string): void {
    const { envelope_id: id, payload } = JSON.parse(frame) as { envelope_id?: string; payload?: unknown };
    const one = pending.get(id ?? "");
    if (one === undefined) return;
    clearTimeout(one.timer);
    pending.delete(one.envelope.envelope_id);
    state.acked += 1;
    if (one.envelope.type === "slash_commands") replies.push(payload);
    changed();
  }

  listening.on("connection", (socket) => {
    const link: Link = { socket, isZombie: false, isLeaving: false };
    state.ever += 1;
    socket.on("error", () => {}); // it is closed then
    socket.on("ping", (data) => void (link.isZombie || socket.pong(data)));
    socket.on("message", (data) => void (link.isZombie || acknowledged(String(data))));
    socket.on("close", () => {
      links.delete(link);
      for (const one of [...pending.values()].filter((other) => other.link === link)) again(one);
      changed();
    });
    if (!state.isGreeted) return;
    links.add(link);
    socket.send(
      JSON.stringify({ type: "hello", num_connections: links.size, connection_info: { app_id: "A0" } }),
    );
    for (const one of pending.values()) if (one.link === undefined) dispatch(one);
    changed();
  });

  return {
    deliver,
    pause: () => void (state.kept ??= []),
    resume(arrange = (kept) => kept) {
      const kept = state.kept ?? [];
      state.kept = undefined;
      for (const envelope of arrange(kept)) deliver(envelope);
    },
    redeliver: () => [...pending.values()].forEach(again),
    lose: (isLost) => void (state.isLost = isLost),
    cut: () => listening.clients.forEach((socket) => socket.terminate()),
    goodbye(reason = "refresh_requested") {
      const link = newest();
      if (link === undefined) return;
      link.isLeaving = true;
      link.socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "fake" } }));
    },
    becomeZombies() {
      for (const link of links) {
        link.isZombie = true;
        deafen(link.socket);
      }
    },
    greet: (isGreeted) => void (state.isGreeted = isGreeted),
    async ping() {
      await Promise.all(live().map(({ socket }) => answeredPing(socket)));
    },
    replies,
    sendRaw: (frame) => newest()?.socket.send(frame),
    get counts() {
      const { ever, acked, redelivered } = state;
      return {
        open: links.size,
        connected: listening.clients.size,
        ever,
        acked,
        unacknowledged: pending.size,
        redelivered,
      };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(pings);
      for (const { timer } of pending.values()) clearTimeout(timer);
      listening.clients.forEach((socket) => socket.terminate());
      await new Promise((resolve) => listening.close(resolve));
    },
  };
}

const answeredPing = (socket: WebSocket): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      socket.off("pong", done).off("close", done);
      resolve();
    };
    socket.on("pong", done).on("close", done);
    socket.ping();
  });

/** It would still answer the frame that asks it to close. */
function deafen(socket: WebSocket): void {
  const { _receiver: receiver } = socket as unknown as { readonly _receiver: EventEmitter };
  receiver.removeAllListeners("conclude");
}
