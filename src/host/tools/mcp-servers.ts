import { Refusal } from "../../core/host.ts";
import type { McpServers } from "../../core/tooling.ts";
import { childVariable } from "../../runtimes/codex/process/child-variable.ts";
import type { Catalogue } from "../../tools/mcp/catalogue.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Foundation } from "../foundation.ts";

type McpSources = Pick<
  Foundation,
  "loaded" | "store" | "env" | "cwd" | "clock" | "processes" | "redact" | "version" | "log" | "longLived"
> & {
  /** Is this toolset switched off? */
  readonly isOff: (toolset: string) => boolean;
};

/** The person's MCP servers for turns on the loop. On codex they are codex's own matter. */
export type HostMcp = AsyncDisposable &
  McpServers & {
    tools(): Promise<readonly Tool[]>;
    /** Before a turn: resolves with what the person should hear about their servers. */
    ready(runtime: string, signal: AbortSignal): Promise<readonly string[]>;
  };

const waitMs = 1_500;
/** Who asks one thing and leaves has no next turn, in which late servers join. */
const onlyTurnWaitMs = 15_000;

/** Nothing is loaded where there are no servers, and nothing started before it is needed. */
export function hostMcp(sources: McpSources): HostMcp {
  const section = sources.loaded.config.sections["mcp_servers"];
  const isEmpty = section === undefined || Object.keys(section as object).length === 0;
  let loading: Promise<Catalogue> | undefined;
  const load = (): Promise<Catalogue> => (loading ??= open(sources));
  return {
    tools: async () => (isEmpty ? [] : (await load()).tools()),
    async ready(runtime, signal) {
      if (isEmpty || runtime !== "loop") return [];
      try {
        return await (await load()).ready(signal);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return [`Your MCP servers could not be looked at, so this turn has none of their tools: ${why}`];
      }
    },
    async list(only) {
      if (isEmpty) return [];
      const { servers, list } = await load();
      const named = [...servers.values()].filter(
        ({ settings }) => only === undefined || settings.name === only,
      );
      const { signal } = new AbortController();
      await Promise.all(named.map((server) => server.start(signal).catch(() => {}))); // the list says why
      return (await list()).filter(({ name }) => only === undefined || name === only);
    },
    approve: (server, tool, mark) => approve(sources, server, tool, mark),
    async restart(name) {
      const { servers, list } = await load();
      const server = servers.get(name);
      if (server === undefined) throw await noServer(await list(), name);
      await server.stop();
      await server.start(new AbortController().signal).catch(() => {}); // the list says why
      const listed = (await list()).find((one) => one.name === name);
      if (listed === undefined) throw await noServer(await list(), name);
      return listed;
    },
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]();
    },
  };
}

async function open(sources: McpSources): Promise<Catalogue> {
  const { loaded, store, clock, longLived } = sources;
  const { config } = loaded;
  const [{ catalogue }, { mediaSaver: saveMedia }] = await Promise.all([
    import("../../tools/mcp/catalogue.ts"),
    import("../../tools/mcp/media-files.ts"),
  ]);
  return catalogue({
    ...sources,
    section: config.sections["mcp_servers"],
    childVariable,
    pins: {
      list: () => store.mcpTools.list(),
      see: (server, tools) => store.mcpTools.see(server, tools, clock.now()),
    },
    save: saveMedia(config.paths.media),
    waitMs: longLived ? waitMs : onlyTurnWaitMs,
    async wasNotified(text) {
      const key = `mcp.told.${text}`;
      if ((await store.meta.get(key)) !== undefined) return true;
      await store.meta.set(key, String(clock.now()));
      return false;
    },
  });
}

async function approve(
  { store, clock }: McpSources,
  server: string,
  tool: string,
  mark: string,
): Promise<void> {
  const pins = (await store.mcpTools.list(server)).filter(({ name }) => name.replace(/^\*/, "") === tool);
  const [pin] = pins;
  if (pin === undefined) {
    const known = (await store.mcpTools.list(server)).map(({ name }) => name).join(", ");
    const next = known === "" ? "/mcp lists the servers." : `It has: ${known}.`;
    throw new Refusal("not_found", `No tool ${tool} of an MCP server ${server} is known.`, next);
  }
  if (pin.changed === undefined)
    throw new Refusal(
      "usage",
      `The tool ${tool} of ${server} has not changed.`,
      "There is nothing to approve.",
    );
  const { markOf } = await import("../../tools/mcp/server-listing.ts");
  const { hash } = pin.changed;
  if (markOf(hash) === mark && (await store.mcpTools.approve(server, pin.name, hash, clock.now()))) return;
  throw new Refusal(
    "busy",
    `The tool ${tool} of ${server} is not the one with the mark ${mark}, so nothing was approved.`,
    `Look at it as it is now: /mcp show ${server}`,
  );
}

function noServer(all: readonly { readonly name: string }[], name: string): Refusal {
  const names = all.map((one) => one.name).join(", ");
  return new Refusal(
    "not_found",
    `There is no MCP server ${name} that could be started.`,
    names === "" ? "Add one to mcp_servers in config.yaml." : `There are: ${names}.`,
  );
}
