import type { Json } from "../../core/json.ts";
import type { ListedMcpServer } from "../../core/tooling.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { Tool } from "../tool.ts";
import { type Offer, plainName } from "./definition.ts";
import { foreignLine } from "./foreign-text.ts";
import type { SaveMedia } from "./media-files.ts";
import type { Pins, Pin } from "./pins.ts";
import type { ServerDeps } from "./server-life.ts";
import { serverListing } from "./server-listing.ts";
import { serverTools } from "./server-tools.ts";
import { type McpServer, mcpServer } from "./server.ts";
import { configuredServers, type ConfiguredServer } from "./settings.ts";
import { toolsetOf, toolKey } from "./tool-names.ts";
import { troubleLine } from "./trouble.ts";

export type CatalogueDeps = Omit<ServerDeps, "see"> & {
  /** `mcp_servers` of the settings. */
  readonly section: Json | undefined;
  readonly pins: Pins;
  readonly save: SaveMedia;
  /** False only the first time that it is called with this text, in whatever process. */
  readonly wasNotified: (text: string) => Promise<boolean>;
  /** Did the person switch this toolset off? Then its server is not started for a turn. */
  readonly isOff: (toolset: string) => boolean;
  /** How long the first turn waits for servers that nobody has seen yet. */
  readonly waitMs: number;
};

/** The MCP servers of the settings and their tools. Nothing runs until something is needed of it. */
export type Catalogue = AsyncDisposable & {
  /** What turns may use: all that is known, whether its server runs or not. */
  tools(): Promise<readonly Tool[]>;
  /** Starts the servers that were never seen, waits a little for them, and resolves with what the person should hear. */
  ready(signal: AbortSignal): Promise<readonly string[]>;
  /** What cannot be used now, and why, each as one line. */
  troubles(): Promise<readonly string[]>;
  list(): Promise<readonly ListedMcpServer[]>;
  /** Those that can be used, switched off or not. */
  readonly servers: ReadonlyMap<string, McpServer>;
};

export function catalogue(deps: CatalogueDeps): Catalogue {
  const { pins, section } = deps;
  const configured = configuredServers(section);
  const added = new Map<string, readonly string[]>();
  const see = async (server: string, { tools }: Offer): Promise<void> => {
    const before = (await pins.list()).filter((pin) => pin.server === server);
    await pins.see(server, tools);
    const known = new Set(before.map(({ name }) => name));
    const fresh = before.length === 0 ? [] : tools.filter(({ name }) => !known.has(name));
    added.set(server, [...(added.get(server) ?? []), ...fresh.map(({ name }) => plainName(name))]);
  };
  const servers: ReadonlyMap<string, McpServer> = new Map(
    configured.flatMap((one) =>
      one.is === "usable" ? [[one.name, mcpServer(one.settings, { ...deps, see })] as const] : [],
    ),
  );
  const notices = serverNotices(deps, configured, servers);
  const discover = discovery(deps, servers);
  return {
    servers,
    tools: serverTools(deps, servers),
    troubles: notices.all,
    async ready(signal) {
      await discover(signal);
      return notices.fresh();
    },
    async list() {
      const all = await pins.list();
      return configured.map((one) => serverListing(one, servers.get(one.name), all, added.get(one.name)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...servers.values()].map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

/**
 * Starts every server of which nothing is known yet. The first time it is waited for a little; one that takes longer
 * goes on, and has its tools with a later turn. Never rejects.
 */
function discovery(
  { pins, clock, waitMs, isOff }: CatalogueDeps,
  servers: ReadonlyMap<string, McpServer>,
): (signal: AbortSignal) => Promise<void> {
  const waitedFor = new Set<McpServer>();
  return async (signal) => {
    if (servers.size === 0) return;
    const seen = new Set((await pins.list()).map(({ server }) => server));
    const unseen = [...servers.values()].filter(
      (server) =>
        !isOff(toolsetOf(server.settings.name)) &&
        !seen.has(server.settings.name) &&
        server.offer() === undefined,
    );
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    const starts = unseen.map((server) => ({
      isNew: !waitedFor.has(server),
      started: server.start(stop).catch(() => {}), // its state tells
    }));
    for (const server of unseen) waitedFor.add(server);
    const waits = starts.filter(({ isNew }) => isNew).map(({ started }) => started);
    if (waits.length > 0) {
      const late = clock.sleep(waitMs, stop, { hold: true }).catch(() => {});
      await Promise.race([Promise.all(waits), late]);
    }
    over.abort(noLongerNeeded);
  };
}

/** What the person should know about their servers. Each is one line. */
type ServerNotices = {
  all(): Promise<readonly string[]>;
  /** For the start of a turn: only what the person was not told before. */
  fresh(): Promise<readonly string[]>;
};

function serverNotices(
  { pins, wasNotified }: Pick<CatalogueDeps, "pins" | "wasNotified">,
  configured: readonly ConfiguredServer[],
  servers: ReadonlyMap<string, McpServer>,
): ServerNotices {
  const unusable = configured.flatMap((one) =>
    one.is === "unusable" ? [troubleLine(one.name, one.why)] : [],
  );
  let notifiedUnusable = false;
  const states = (): readonly string[] => [...servers.values()].flatMap(stateLine);
  const changed = async (): Promise<readonly Pin[]> =>
    servers.size === 0
      ? []
      : (await pins.list()).filter((pin) => servers.has(pin.server) && pin.changed !== undefined);
  return {
    all: async () => [...unusable, ...states(), ...(await changed()).map(changedLine)],
    async fresh() {
      const lines = [...(notifiedUnusable ? [] : unusable), ...states()];
      notifiedUnusable = true;
      for (const pin of await changed()) {
        const key = `${toolKey({ server: pin.server, tool: pin.name })} ${pin.changed?.hash}`;
        if (!(await wasNotified(key))) lines.push(changedLine(pin));
      }
      return lines;
    },
  };
}

function stateLine(server: McpServer): readonly string[] {
  const { state, detail = "" } = server.state();
  const { name } = server.settings;
  if (state === "failed") return [troubleLine(name, detail)];
  if (state === "starting" && server.offer() === undefined)
    return [troubleLine(name, "is still starting; its tools come with the next message")];
  return [];
}

function changedLine({ server, name }: Pin): string {
  const [at, own] = [foreignLine(server, 60), foreignLine(plainName(name), 100)];
  return `The tool ${own} of the MCP server ${at} is not what it was when it was first seen, so it is off. Look at it with /mcp show ${at}, which says how to allow it.`;
}
