import { findingText } from "../../config/config.ts";
import type { BareOperation, Handlers, Settings } from "../../core/calls.ts";
import type { LiveGateway } from "../../core/gateway/gateway.ts";
import type { Check, HostStatus } from "../../core/host.ts";
import type { Caller } from "../../core/principal.ts";
import { codexMigration } from "../codex/migration.ts";
import { knownPrices } from "../models/usage-access.ts";
import { readiness } from "../models/readiness.ts";
import { toolList } from "../tools/switches.ts";
import type { AccessOperation } from "./access.ts";
import type { Joined } from "./joined.ts";

export function settings(joined: Joined): Handlers<Exclude<keyof Settings, BareOperation | AccessOperation>> {
  const { runtime, runtimes, toolBox, mcp } = joined;
  const { learned } = joined.learned;
  const migration = codexMigration(joined);
  return {
    "host.status": async (_input, caller) => hostStatus(joined, caller),
    "runtime.setDefault": async ({ runtime: wanted }) => (await runtime.set(wanted), null),
    "runtime.readiness": ({ runtime: name }) =>
      readiness({ ...joined, runtimes: Object.keys(runtimes) }, name),
    "tools.list": async () => toolList(await toolBox.tools(), toolBox.switches),
    "tools.switch": async ({ names, on }) => toolBox.switches.set(await toolBox.tools(), names, on),
    "mcp.list": ({ server }) => mcp.list(server),
    "mcp.approve": async ({ server, tool, mark }) => (await mcp.approve(server, tool, mark), null),
    "mcp.restart": ({ server }) => mcp.restart(server),
    "skills.pin": async ({ name, pinned }) => (await learned.pin(name, pinned), null),
    "skills.trust": ({ folder }) => learned.trust(folder),
    "skills.distrust": ({ folder }) => learned.distrust(folder),
    "skills.curate": (how) => learned.curate(how),
    "skills.uncurate": () => learned.uncurate(),
    "codex.migrate": (options) => migration.run(options),
    "codex.plugins": () => migration.activePlugins(),
  };
}

/** Where the home is, and what names files in it, is told at this machine alone. */
function hostStatus(joined: Joined, { role, local }: Caller): HostStatus {
  const { version, loaded, runtime, upgrades } = joined;
  const { home, profile, model, providers, display } = loaded.config;
  const provider = providers[model.provider];
  return {
    version,
    ...(role === "owner" && local ? { home } : {}),
    profile,
    ...knownPrices(joined),
    models: provider?.kind === "route" ? provider.models : [],
    runtime: runtime.current(),
    runtimeSetting: runtime.setting(),
    knownRuntime: model.runtime,
    display,
    warnings: local ? [...upgrades, ...loaded.warnings.map(findingText)] : [],
  };
}

/** What `doctor` looks at, with what a host that is open has at hand. */
export async function checks(joined: Joined, live: LiveGateway | undefined): Promise<readonly Check[]> {
  const { loaded, env, store, clock, isGone, routes, shell } = joined;
  const { checks: look } = await import("../../maintenance/doctor/check-up.ts");
  return look({
    location: loaded.config,
    env,
    clock,
    isGone,
    openStore: async () => store,
    bots: async () => live?.bots(),
    settings: {
      loaded,
      routes,
      sandbox: shell.sandbox,
      findCodex: async (signal) =>
        (await import("../codex/plan.ts")).findOwnCodex(loaded.config, env, clock, signal, true),
      migration: codexMigration(joined),
    },
  });
}
