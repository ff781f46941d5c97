import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type HomeSources, type Loaded, loadConfig } from "../../config/config.ts";
import { type Fault, FaultError } from "../../core/faults.ts";
import type { Json } from "../../core/json.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { hasLogin, terminalEnvironment } from "../../lib/process/terminal-environment.ts";
import { findCodex } from "../../runtimes/codex/process/binary.ts";
import { type Launch, launchOptions } from "../../runtimes/codex/process/launch.ts";
import type { Route } from "../../models/model.ts";
import type { CodexPlan } from "../../runtimes/codex/plan.ts";
import type { Turn } from "../../runtimes/runtime.ts";
import { toolsetOf } from "../../tools/mcp/tool-names.ts";
import { codexSwitches } from "./switches.ts";
import { launcher, packageRoot as ownRoot } from "../../lib/own-files.ts";
import type { Routes } from "../models/routes.ts";

/** Codex has no tools for a model it does not know, so the built-in one goes by the name of one that it does. */
const demoModel = "gpt-5.5";

/** How the settings want codex to run a turn, or why it cannot. */
export async function codexPlan(
  loaded: Loaded,
  routes: Routes,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  turn: Pick<Turn, "model">,
  signal: AbortSignal,
  off: readonly string[],
  redact: (text: string) => string = (text) => text,
  terminal = env,
): Promise<CodexPlan | Fault> {
  const { config } = loaded;
  const binary = await findOwnCodex(config, env, clock, signal);
  if ("code" in binary) return binary;
  const provider = config.providers[config.model.provider];
  const route = await codexRoute(config, routes, turn.model);
  if (route !== undefined && "code" in route) return route;
  const isDemo = provider?.kind === "demo";
  const { unheeded, ...switches } = codexSwitches(off, config.approvals.deny, env["HOME"] ?? homedir());
  const launch = launchOptions({
    ...switches,
    binary: binary.path,
    version: binary.version,
    env,
    passEnv: config.codex.env,
    ...(config.codex.home === undefined ? {} : { codexHome: config.codex.home }),
    ...(route === undefined ? {} : { route }),
    ...(isDemo ? { isolated: { codexHome: await demoHome(config.paths.run) } } : {}),
  });
  const model = isDemo ? demoModel : config.model.name;
  return {
    launch,
    ...seenByCommands(launch, terminal, config.codex.env, redact),
    provider: config.model.provider,
    loopRouteExists: provider?.kind === "route" && !("code" in (await routes.find(turn.model))),
    network: config.terminal.network,
    ownProgram: launcher,
    mcpServers: serversIn(config, off),
    guards: switches.guards,
    ignoredByCodex: unheeded,
    warnings: binary.warning === undefined ? [] : [binary.warning],
    ...(model === undefined ? {} : { model }),
    ...(route?.keyName === undefined ? {} : { keyName: route.keyName }),
    ...sandboxOf(config.terminal.securityMode),
  };
}

/** What of the terminal commands see besides what codex itself has, and what codex alone is to have of that. */
function seenByCommands(
  launch: Launch,
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
  redact: (text: string) => string,
): Pick<CodexPlan, "terminal" | "hiddenVariables"> {
  const isSecret = (value: string): boolean => redact(value) !== value;
  const all = Object.entries(terminalEnvironment(env, { named, isSecret }));
  return {
    terminal: Object.fromEntries(all.filter(([name, value]) => launch.env[name] !== value)),
    hiddenVariables: Object.keys(launch.env).filter((name) => hasLogin(launch.env[name] ?? "")),
  };
}

/** Without those that are switched off. */
const serversIn = ({ sections }: Loaded["config"], off: readonly string[]): CodexPlan["mcpServers"] =>
  Object.fromEntries(
    Object.entries(sections["mcp_servers"] ?? {}).filter(([name]) => !off.includes(toolsetOf(name))),
  ) as { readonly [name: string]: Json };

/** Where codex is to find the models, or why it cannot use them. `undefined`: its own login knows. */
export async function codexRoute(
  { model, providers }: Loaded["config"],
  routes: Pick<Routes, "find">,
  chosen: string | undefined,
): Promise<Route | Fault | undefined> {
  const provider = providers[model.provider];
  const ownLogin = provider?.kind === "codex" || (provider?.kind === "route" && provider.codexLogin);
  if (ownLogin) return undefined;
  const route = await routes.find(chosen);
  return "protocol" in route && route.protocol === "chat" ? chatOnly(route.name) : route;
}

/** The codex that the settings mean. */
export function findOwnCodex(
  { model: { codexBin }, home }: Loaded["config"],
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock = systemClock,
  signal: AbortSignal = new AbortController().signal,
  afresh: boolean | "scripts" = false,
): ReturnType<typeof findCodex> {
  const versionKeptIn = join(home, "cache", "codex-version.json");
  const named = codexBin && { configured: codexBin };
  return findCodex({ env, ownRoot, clock, signal, afresh, versionKeptIn, ...named });
}

/** The codex that would run a turn, and what its environment has beside ours, for `talaria codex`. */
export async function codexProgram(
  sources: HomeSources & { readonly profile?: string },
): Promise<{ readonly path: string; readonly env: Readonly<Record<string, string>> }> {
  const flags = sources.profile === undefined ? {} : { profile: sources.profile };
  const { config } = await loadConfig({ ...sources, flags });
  const found = await findOwnCodex(config, sources.env);
  if ("code" in found) throw new FaultError(found);
  const { home } = config.codex;
  // Its own ~/.codex codex makes itself; a folder that is named to it must be there.
  return {
    path: found.path,
    env: home === undefined || sources.env["CODEX_HOME"] ? {} : { CODEX_HOME: home },
  };
}

/** The built-in model needs no login, and leaves the person's own codex alone. */
async function demoHome(run: string): Promise<string> {
  const home = join(run, "codex-demo");
  await mkdir(home, { recursive: true, mode: 0o700 });
  return home;
}

function sandboxOf(mode: Loaded["config"]["terminal"]["securityMode"]): Pick<CodexPlan, "sandbox"> {
  if (mode === undefined) return {};
  const sandbox = {
    auto: "workspace-write",
    "approval-required": "read-only",
    unrestricted: "danger-full-access",
  } as const;
  return { sandbox: sandbox[mode] };
}

const chatOnly = (provider: string): Fault => ({
  code: "config",
  message: `The provider ${provider} speaks only the chat protocol, which codex cannot use.`,
  next: "Run the turn on the loop (--runtime loop), or choose a provider with protocol: responses.",
});
