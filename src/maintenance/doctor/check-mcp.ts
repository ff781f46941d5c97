import type { Json } from "../../core/json.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { childVariable } from "../../runtimes/codex/process/child-variable.ts";
import type { Facts, ReadableSettings } from "./facts.ts";
import { type Finding, type Probe, fine, note, wrong } from "./probe.ts";

const limitMs = 20_000;

/** Each MCP server of the settings: is it there, and are its tools what they were? Nothing is kept of what it says. */
export function mcpProbes({ settings, env, clock, store, location }: Facts): readonly Probe[] {
  if ("fault" in settings) return [];
  const section = settings.loaded.config.sections["mcp_servers"];
  const names = Object.keys((section ?? {}) as { readonly [name: string]: Json });
  const facts = { settings, env, clock, store, location };
  return names.map((name) => ({
    name: `mcp server ${name}`,
    look: (signal) => look(name, facts, signal),
    limitMs: limitMs + 2_000,
  }));
}

type McpFacts = Pick<Facts, "env" | "clock" | "store" | "location"> & { readonly settings: ReadableSettings };

async function look(name: string, facts: McpFacts, signal: AbortSignal): Promise<readonly Finding[]> {
  const title = `mcp server ${name}`;
  const [{ tryServer }, { configuredServers: writtenServers }] = await Promise.all([
    import("../../tools/mcp/connection.ts"),
    import("../../tools/mcp/settings.ts"),
  ]);
  const { loaded } = facts.settings;
  const written = writtenServers(loaded.config.sections["mcp_servers"]).find((one) => one.name === name);
  if (written === undefined || written.is === "off") return [];
  const next = `Correct mcp_servers.${name} in config.yaml.`;
  if (written.is === "unusable") return [wrong(title, `it ${written.why}`, next)];
  const tried = await tryServer(written.settings, {
    env: facts.env,
    cwd: facts.location.home,
    clock: facts.clock,
    processes: { add: async () => {}, remove: async () => {} },
    childVariable,
    redact: redactor(loaded.secrets),
    version: "doctor",
    limitMs,
    signal,
  });
  if ("why" in tried) return [wrong(title, `it ${tried.why}`, next)];
  const changed = await changedTools(facts, name);
  const found = fine(title, `answers, with ${tried.tools} tools (tried just now)`);
  if (changed.length === 0) return [found];
  const step = `Look at them with \`talaria mcp-servers show ${name}\`, and allow them with \`talaria mcp-servers approve ${name} TOOL\`.`;
  return [
    found,
    note(title, `off because they have changed since they were first seen: ${changed.join(", ")}`, step),
  ];
}

async function changedTools({ store }: McpFacts, server: string): Promise<readonly string[]> {
  const pins = (await (await store())?.mcpTools.list(server)) ?? [];
  return pins.filter(({ changed }) => changed !== undefined).map((pin) => pin.name);
}
