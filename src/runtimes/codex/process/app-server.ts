import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../../../lib/clock.ts";
import { noLongerNeeded } from "../../../lib/no-longer-needed.ts";
import { ChildInputError } from "../../../lib/process/child-pipes.ts";
import { spawnChild, type Child, type ProcessRegistry } from "../../../lib/process/child.ts";
import { newMark } from "../../../lib/process/process-mark.ts";
import { processTree } from "../../../lib/process/process-tree.ts";
import { redactor } from "../../../lib/redact/redact.ts";
import { lines } from "../../../lib/rpc/jsonl.ts";
import { connection, type Connection, type ConnectionOptions } from "../connection/connection.ts";
import { childVariable } from "./child-variable.ts";
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
  /** It runs and has been greeted: from now on it gets ready by itself. */
  readonly onGreeted?: () => void;
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
  const rpc = connection({ wire, clock, record, ...(onUnscopedRequest && { onUnscopedRequest }) });
  try {
    return appServer(child, wire, rpc, await initialize(rpc, options));
  } catch (error) {
    rpc.close();
    await wire.kill();
    throw error;
  }
}

type Hello = Pick<AppServer, "userAgent" | "codexHome">;

async function initialize(rpc: Connection, options: StartOptions): Promise<Hello> {
  const params = {
    clientInfo: { name: "talaria", title: "Talaria", version: options.clientVersion },
    capabilities: {
      experimentalApi: true,
      requestAttestation: false,
      optOutNotificationMethods: options.optOut,
    },
  };
  const reply = rpc.request("initialize", params, { signal: options.signal, timeoutMs: handshakeMs });
  options.onGreeted?.();
  const hello = readHello(await reply);
  rpc.notify("initialized");
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

function appServer(child: Child, wire: Wire, rpc: Connection, hello: Hello): AppServer {
  lastEpoch += 1;
  return {
    ...hello,
    epoch: lastEpoch,
    pid: child.pid,
    request: rpc.request,
    notify: rpc.notify,
    feed: rpc.feed,
    onUnread: rpc.onUnread,
    gone: rpc.gone,
    get alive() {
      return rpc.alive;
    },
    notices: rpc.notices,
    counts: rpc.counts,
    kill() {
      rpc.close();
      return wire.kill();
    },
    async [Symbol.asyncDispose]() {
      rpc.close();
      await child[Symbol.asyncDispose]();
    },
  };
}

const takenMs = 10_000;
const exitMs = 1_000;

/** A connection's end of a child. `secrets` are not shown in what it wrote to stderr. */
function childWire(child: Child, clock: Clock, secrets: readonly string[]): Wire {
  const redact = redactor(secrets);
  const shown = (stderr: string): string => redact(stripVTControlCharacters(stderr));
  return {
    lines: lines(child.stdout),
    async write(line) {
      try {
        await within(child.write(line), takenMs, clock);
      } catch (error) {
        const ended = error instanceof ChildInputError && error.reason === "closed";
        if (!ended) throw error;
        await within(child.exited, exitMs, clock); // then the exit tells more
      }
    },
    exited: child.exited.then(({ code, signal, stderrTail }) => ({
      code,
      signal,
      stderrTail: shown(stderrTail),
    })),
    stderrTail: () => shown(child.stderrTail()),
    async kill() {
      const tree = processTree(child);
      tree.look();
      tree.signal("SIGKILL");
      await child.kill().catch(() => {}); // the registry failed; the next start sweeps
    },
  };
}

async function within<T>(event: Promise<T>, ms: number, clock: Clock): Promise<T> {
  const settled = new AbortController();
  const late = clock.sleep(ms, settled.signal, { hold: true }).then(() => {
    throw new Error(`Nothing happened within ${ms} ms.`);
  });
  late.catch(() => {}); // it came in time
  return Promise.race([event, late]).finally(() => settled.abort(noLongerNeeded));
}
