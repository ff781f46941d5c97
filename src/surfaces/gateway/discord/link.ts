import {
  Client,
  DiscordjsErrorCodes,
  GatewayIntentBits,
  Options,
  SimpleShardingStrategy,
  type WebSocketOptions,
} from "discord.js";
import { fieldsOf } from "../../../core/json.ts";
import { problemOf } from "./problem.ts";

/** What the gateway's socket says. `seq` counts what a session is told. */
export type LinkEvent =
  | { readonly kind: "alive" }
  | { readonly kind: "joined"; readonly isNew: boolean }
  | { readonly kind: "said"; readonly type: string; readonly data: unknown; readonly seq: number }
  | { readonly kind: "closed"; readonly code: number }
  | { readonly kind: "trouble"; readonly why: string }
  /** It did not come about, and will not. `isAuth`: for the token's sake. `waitMs`: so long Discord wants no other. */
  | { readonly kind: "failed"; readonly why: string; readonly isAuth: boolean; readonly waitMs?: number };

/** One client of the library. */
export type Link = {
  /** Nothing is heard of it any more, and its sockets go. Returns at once: the library would wait for the other side. */
  end(): void;
};

/**
 * Opens a client, which reconnects by itself. Its events are taken where its sockets hand them over: there are heartbeats and close codes
 * among them, and what the library cannot read throws in none of its timers. It is given all of them but what people said, so it keeps
 * nothing of that either.
 */
export function openLink(
  { token, api }: { readonly token: string; readonly api: string },
  hear: (event: LinkEvent) => void,
): Link {
  const strategies: SimpleShardingStrategy[] = [];
  const shards = new Set<Shard>();
  let isOver = false;
  const end = (): void => {
    isOver = true;
    // The library forgets them while one of them may be about to connect.
    for (const shard of strategies.flatMap(shardsOf)) shards.add(shard);
    shards.forEach(close);
  };
  const onEvent = (name: string, payload: unknown): void => {
    // One that was just being made when all ended.
    if (isOver && name === "hello") return end();
    if (isOver) return;
    for (const event of eventsOf(name, payload)) hear(event);
  };
  const client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      GatewayIntentBits.MessageContent,
    ],
    // What is said is read from the socket and kept by us.
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      GuildMemberManager: 0,
      ThreadMemberManager: 0,
    }),
    rest: { version: "10", api, retries: 0, rejectOnRateLimit: () => true },
    ws: {
      buildStrategy(manager: Manager) {
        const strategy = new SimpleShardingStrategy(overheard(manager, onEvent));
        strategies.push(strategy);
        return strategy;
      },
    },
  });
  client.login(token).catch((error: unknown) => {
    if (!isOver) hear(failed(error));
  });
  return {
    end() {
      end();
      void client.destroy().catch(() => {}); // a client that was never open has nothing to destroy
    },
  };
}

function failed(error: unknown): LinkEvent {
  const isAuth = error instanceof Error && Reflect.get(error, "code") === DiscordjsErrorCodes.TokenInvalid;
  if (isAuth) return { kind: "failed", why: "Discord does not accept the bot's token.", isAuth };
  const problem = problemOf(error, true);
  if (problem.kind === "held") {
    const seconds = Math.ceil(problem.ms / 1000);
    return {
      kind: "failed",
      why: `Discord wants no connection for ${seconds} s.`,
      isAuth,
      waitMs: problem.ms,
    };
  }
  const why =
    error instanceof Error && problem.kind === "unknown" ? error.message || problem.why : problem.why;
  return { kind: "failed", why, isAuth };
}

type Manager = Parameters<NonNullable<WebSocketOptions["buildStrategy"]>>[0];

/** The same manager, but that we hear first what its sockets tell it. */
function overheard(manager: Manager, onEvent: (name: string, payload: unknown) => void): Manager {
  const emit = (name: string, payload: unknown): boolean => {
    onEvent(name, payload);
    return name === "dispatch" ? true : Reflect.apply(manager.emit, manager, [name, payload]);
  };
  return Object.create(manager, { emit: { value: emit } }) as Manager;
}

function eventsOf(name: string, payload: unknown): readonly LinkEvent[] {
  switch (name) {
    case "hello":
    case "heartbeat":
      return [{ kind: "alive" }];
    case "resumed":
      return [{ kind: "joined", isNew: false }];
    case "closed":
      return [{ kind: "closed", code: Number(fieldsOf(payload)["code"]) }];
    case "error": {
      const { error } = fieldsOf(payload);
      return [{ kind: "trouble", why: error instanceof Error ? error.message : String(error) }];
    }
    case "dispatch": {
      const { t: type, d: data, s: seq } = fieldsOf(fieldsOf(payload)["data"]);
      const said = { kind: "said", type: String(type), data, seq: Number(seq) } as const;
      return type === "READY" ? [said, { kind: "joined", isNew: true }] : [said];
    }
    default:
      return [];
  }
}

/** A connection of the library's, which shows it to nobody. Without these fields its own end is waited for, which only takes longer. */
type Shard = {
  internalConnect?: () => Promise<void>;
  readonly connection?: Socket | null;
  destroy(options: { readonly reason: string }): Promise<void>;
};
type Socket = { on(name: "error", listener: () => void): void; terminate(): void };

function shardsOf(strategy: SimpleShardingStrategy): readonly Shard[] {
  const shards: unknown = Reflect.get(strategy, "shards");
  return shards instanceof Map ? [...(shards as ReadonlyMap<number, Shard>).values()] : [];
}

/**
 * The library connects once more half a second after whatever ended a socket, its own end included: that way is taken from it. A close
 * handshake with a dead server takes it half a minute, so the socket is cut after it was begun.
 */
function close(shard: Shard): void {
  const socket = shard.connection;
  shard.internalConnect = async () => {};
  shard.destroy({ reason: "no longer needed" }).catch(() => {}); // it is cut below
  if (socket) setImmediate(() => cut(socket));
}

function cut(socket: Socket): void {
  socket.on("error", () => {}); // cutting one that is still connecting is an error to it
  socket.terminate();
}
