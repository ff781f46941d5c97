import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PolicySettings } from "../../approvals/policy/policy.ts";
import type { Loaded } from "../../config/config.ts";

/** What the person has set, and which files are nobody's but theirs: settings and keys, ours and codex's. */
export function policySettings(
  { config }: Loaded,
  env: Readonly<Record<string, string | undefined>>,
  homeDir: string,
): PolicySettings {
  // As codex is started: the environment goes before the settings.
  const codexHome = env["CODEX_HOME"] || config.codex.home || join(homeDir, ".codex");
  const ofCodex = ["auth.json", "config.toml", "rules", "hooks"].map((name) => join(codexHome, name));
  const guarded = [config.paths.root, config.home, ...ofCodex];
  return {
    mode: config.approvals.mode,
    securityMode: config.terminal.securityMode ?? "auto",
    deny: config.approvals.deny,
    // What a tool would change is known by the name that it has without links.
    guarded: [...new Set([...guarded, ...guarded.map(withoutLinks)])],
    home: homeDir,
  };
}

/** Also of what is not there yet. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(withoutLinks(parent), basename(path));
  }
}
