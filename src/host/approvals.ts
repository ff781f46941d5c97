import { join } from "node:path";
import type { AgentDeps, AskingTurn } from "../agent/index.ts";
import type { Broker } from "../approvals/broker.ts";
import type { PolicySettings } from "../approvals/policy/policy.ts";
import type { Loaded } from "../config/config.ts";

/** The turn of a surface at this machine is its owner's. */
export const asking =
  (broker: Broker): AgentDeps["asking"] =>
  (turn: AskingTurn) =>
    broker.asking({ ...turn, actor: "owner", local: true });

/** What the person has set, and which files are nobody's but theirs: settings and keys, ours and codex's. */
export function policySettings(
  { config }: Loaded,
  env: Readonly<Record<string, string | undefined>>,
  homeDir: string,
): PolicySettings {
  // As codex is started: the environment goes before the settings.
  const codexHome = env["CODEX_HOME"] || config.codex.home || join(homeDir, ".codex");
  const ofCodex = ["auth.json", "config.toml", "rules", "hooks"].map((name) => join(codexHome, name));
  return {
    mode: config.approvals.mode,
    securityMode: config.terminal.securityMode ?? "auto",
    deny: config.approvals.deny,
    guarded: [...new Set([config.paths.root, config.home]), ...ofCodex],
    home: homeDir,
  };
}
