import { access } from "node:fs/promises";
import { join } from "node:path";
import { FaultError } from "../../core/faults.ts";
import type { Migration } from "../../core/migration.ts";
import { redactor } from "../../lib/redact/redact.ts";
import type { Foundation } from "../foundation.ts";
import { launcher } from "../../lib/own-files.ts";

type MigrationParts = Pick<Foundation, "loaded" | "env" | "clock" | "processes" | "version">;

/** Our settings in codex's own config.toml. Its parts are loaded when it is used. */
export const codexMigration = (parts: MigrationParts): Migration => ({
  async run(options) {
    const { loaded, env, clock } = parts;
    const { config } = loaded;
    const [{ migrate }, { answersMcp, ownServer }, { fileSwapper }] = await Promise.all([
      import("../../runtimes/codex/settings-file/migrate.ts"),
      import("../../runtimes/codex/settings-file/own-server.ts"),
      import("../../lib/files/swap-file.ts"),
    ]);
    const home = await homeOf(parts);
    const own = { launcher, profile: config.profile, env };
    const report = await migrate(
      {
        home,
        clock,
        swap: fileSwapper(env, clock),
        servers: config.sections["mcp_servers"],
        plugins: () => plugins(parts, home),
        ownServer: { is: ownServer(own), answers: () => answersMcp(own, clock) },
      },
      options,
    );
    return { ...report, diff: redactor(loaded.secrets)(report.diff) };
  },
  async activePlugins() {
    const installed = await plugins(parts, await homeOf(parts));
    return [...installed].flatMap(([name, isOn]) => (isOn ? [name] : []));
  },
});

async function homeOf({ loaded, env }: MigrationParts): Promise<string> {
  const { codexHomeOf } = await import("../../runtimes/codex/process/launch.ts");
  const { home } = loaded.config.codex;
  return codexHomeOf({ env, ...(home && { codexHome: home }) });
}

/** Without a folder for plugins there are none, and codex need not be started in a home that it has never used. */
async function plugins(
  { loaded, env, clock, processes, version }: MigrationParts,
  home: string,
): Promise<ReadonlyMap<string, boolean>> {
  const hasSome = await access(join(home, "plugins")).then(
    () => true,
    () => false,
  );
  if (!hasSome) return new Map();
  const [{ installedPlugins }, { launchOptions }, { findOwnCodex }] = await Promise.all([
    import("../../runtimes/codex/settings-file/plugins.ts"),
    import("../../runtimes/codex/process/launch.ts"),
    import("./plan.ts"),
  ]);
  const binary = await findOwnCodex(loaded.config, env, clock);
  if ("code" in binary) throw new FaultError(binary);
  const launch = launchOptions({
    binary: binary.path,
    version: binary.version,
    env,
    passEnv: loaded.config.codex.env,
    codexHome: home,
  });
  return installedPlugins({ launch, clock, processes, version });
}
