import { spawnChild } from "../../../lib/child.ts";
import type { Child, ProcessRegistry } from "../../../lib/child.ts";
import type { Clock } from "../../../lib/clock.ts";
import { newMark } from "../../../lib/process-mark.ts";
import { childVariable } from "./child-variable.ts";
import { childWire } from "./child-wire.ts";
import { connection } from "../connection/connection.ts";
import type { Connection, ConnectionOptions } from "../connection/connection.ts";
import type { Launch } from "./launch.ts";
import type { Wire } from "./process-wire.ts";

/** A running `codex app-server`, past its handshake. Disposing lets it end by itself, and makes it if it does not. */
export type AppServer = AsyncDisposable &
  Omit<Connection, "close"> & {
    /** Unique among the starts of this process. */
    readonly epoch: number;
    readonly pid: number;
    readonly userAgent: string;
    /** The CODEX_HOME that it uses, as it says. */
    readonly codexHome: string | undefined;
    /** For one that is stuck: ends it and all it started at once. Never rejects. */
    kill(): Promise<void>;
  };

export type StartOptions = Pick<ConnectionOptions, "onUnscopedRequest" | "record"> & {
  readonly clock: Clock;
  readonly processes: ProcessRegistry;
  /** Gives up starting; it does not end an app-server that has started. */
  readonly signal: AbortSignal;
  /** Notifications that codex need not send, by their exact names. */
  readonly optOut: readonly string[];
  readonly clientVersion: string;
};

const handshakeMs = 10_000;
/** Codex was seen to take 5 s to end after its input did. */
const grace = { inputMs: 6_000, termMs: 2_000 };
let lastEpoch = 0;

/**
 * Rejects with `SpawnError`, with `AppServerGone` if it ended at once, with `RequestTimedOut`, with codex's `RpcError`,
 * or with the signal's reason; nothing is left running then.
 */
export async function startAppServer(launch: Launch, options: StartOptions): Promise<AppServer> {
  const { clock, processes, signal } = options;
  const { command, args, env } = launch;
  signal.throwIfAborted();
  const mark = newMark(childVariable);
  const spawn = { command, args, cwd: "/", env, mark, kind: "codex", registry: processes, clock, grace };
  const child = await spawnChild(spawn);
  const wire = childWire(child, clock, launch.secrets);
  const { onUnscopedRequest, record } = options;
  const talk = connection({ wire, clock, record, ...(onUnscopedRequest && { onUnscopedRequest }) });
  try {
    return appServer(child, wire, talk, await initialize(talk, options));
  } catch (error) {
    talk.close();
    await wire.kill();
    throw error;
  }
}

type Hello = Pick<AppServer, "userAgent" | "codexHome">;

async function initialize(talk: Connection, options: StartOptions): Promise<Hello> {
  const params = {
    clientInfo: { name: "talaria", title: "Talaria", version: options.clientVersion },
    capabilities: {
      experimentalApi: true,
      requestAttestation: false,
      optOutNotificationMethods: options.optOut,
    },
  };
  const reply = await talk.request("initialize", params, {
    signal: options.signal,
    timeoutMs: handshakeMs,
  });
  const hello = readHello(reply);
  talk.notify("initialized");
  return hello;
}

function readHello(reply: unknown): Hello {
  const { userAgent, codexHome } = (reply ?? {}) as Record<string, unknown>;
  if (typeof userAgent !== "string")
    throw new Error(
      "What was started as the codex app-server does not speak its protocol: its greeting names no version. Check model.codex_bin, or install codex: npm install -g @openai/codex",
    );
  return { userAgent, codexHome: typeof codexHome === "string" ? codexHome : undefined };
}

function appServer(child: Child, wire: Wire, talk: Connection, hello: Hello): AppServer {
  lastEpoch += 1;
  return {
    ...hello,
    epoch: lastEpoch,
    pid: child.pid,
    request: talk.request,
    notify: talk.notify,
    feed: talk.feed,
    onUnread: talk.onUnread,
    gone: talk.gone,
    get alive() {
      return talk.alive;
    },
    notices: talk.notices,
    counts: talk.counts,
    kill() {
      talk.close();
      return wire.kill();
    },
    async [Symbol.asyncDispose]() {
      talk.close();
      await child[Symbol.asyncDispose]();
    },
  };
}
