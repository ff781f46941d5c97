import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { SocketModeClient } from "@slack/socket-mode";
import { fieldsOf, parsedJson } from "../../../core/json.ts";
import type { ServeLog } from "../../../core/serving/door.ts";
import { callOptions } from "./calls.ts";
import { type CallFailure, failureOf } from "./failures.ts";
import type { Handed } from "./parse.ts";
import { quietLogger } from "./quiet-logger.ts";
import type { SlashReply } from "./slash-command.ts";

export type SocketEvents = {
  /** Something came from Slack: a greeting, a ping, or something said. */
  alive(): void;
  /** What it resolves for is acknowledged, with a reply if there is one; what it rejects for comes again. */
  handed(handed: Handed): Promise<SlashReply | undefined>;
  /** Slack will close it soon, and wants another one to be opened before. */
  leaving(reason: string): void;
};

export type OpenSocket = {
  readonly ended: Promise<void>;
  /** What was handed over is acknowledged, or never will be. */
  idle(): Promise<void>;
  /** At once, whatever the other side does. */
  close(): void;
};

export class SocketFailure extends Error {
  readonly failure: CallFailure;
  constructor(failure: CallFailure, cause?: unknown) {
    super("no socket", { cause });
    this.failure = failure;
  }
}

type Deps = { readonly appToken: string; readonly api: string; readonly log: ServeLog };
type SlackEvent = { ack(reply?: object): Promise<void>; readonly body: unknown; readonly type: string };

/**
 * One connection of Socket Mode, greeted by Slack. It is never opened again: the client would do that without being asked, after waits of
 * its own, and a close at the wrong moment would then end the process. Rejects with a SocketFailure.
 */
export async function openSocket(deps: Deps, events: SocketEvents, signal: AbortSignal): Promise<OpenSocket> {
  const over = new AbortController();
  const ended = Promise.withResolvers<void>();
  const open = new Set<Promise<void>>();
  const client = newClient(deps, over.signal);
  const forgetPings = onPings(client, events.alive);
  const close = (): void => {
    if (over.signal.aborted) return;
    over.abort();
    forgetPings();
    // The first one asks the other side to agree, the second one does not wait for that.
    void client.disconnect();
    void client.disconnect();
    ended.resolve();
  };

  guardFrames(client, deps.log, events);
  client.on("slack_event", ({ ack, body, type }: SlackEvent) => {
    const done = events
      .handed({ type, body })
      .then(ack)
      .catch((error: unknown) => deps.log("slack: not acknowledged", { type, error: String(error) }))
      .finally(() => open.delete(done));
    open.add(done);
  });
  client.on("disconnected", close);
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    if (!over.signal.aborted) await client.start();
  } catch (error) {
    close();
    throw new SocketFailure(whyNotOpen(error), error);
  } finally {
    signal.removeEventListener("abort", close);
  }
  if (over.signal.aborted) throw new SocketFailure(whyNotOpen(undefined));
  return { ended: ended.promise, close, idle: async () => void (await Promise.all(open)) };
}

/** The client's own watch over its pings stays; how long it waits for an answer is above what a busy process needs. */
const newClient = ({ appToken, api, log }: Deps, over: AbortSignal): SocketModeClient =>
  new SocketModeClient({
    appToken,
    autoReconnectEnabled: false,
    clientPingTimeout: 20_000,
    logger: quietLogger(log),
    clientOptions: callOptions(api, (url, init) => fetch(url, { ...init, signal: over })),
  });

/** The client fails without a reason when the connection ends before the greeting. */
const whyNotOpen = (error: unknown): CallFailure =>
  error instanceof Error
    ? failureOf(error)
    : { kind: "notSent", why: "Slack closed the connection before it said hello." };

/**
 * Sees every frame before the client does. A frame that the client cannot read makes it reject where nobody listens, which would end the
 * process; and on being told that the connection will be closed, it would close it before there is another one.
 */
function guardFrames(client: SocketModeClient, log: ServeLog, events: SocketEvents): void {
  const [pass] = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  client.on("ws_message", async (data: unknown, isBinary: boolean) => {
    events.alive();
    const frame = fieldsOf(typeof data === "string" ? parsedJson(data) : undefined);
    if (frame["type"] === "disconnect") return events.leaving(String(frame["reason"] ?? "unknown"));
    try {
      await pass?.(data, isBinary);
    } catch (error) {
      log("slack: a frame that nobody understands", { type: frame["type"], error: String(error) });
    }
  });
}

/** The client does not tell of pings; the library below it tells of all that come to this process. */
function onPings(client: SocketModeClient, alive: () => void): () => void {
  let address: string | undefined;
  client.on("authenticated", ({ url }: { url: string }) => (address = new URL(url).href));
  const heard = (message: unknown): void => {
    if (address !== undefined && fieldsOf(fieldsOf(message)["websocket"])["url"] === address) alive();
  };
  subscribe(pings, heard);
  return () => void unsubscribe(pings, heard);
}

const pings = "undici:websocket:ping";
