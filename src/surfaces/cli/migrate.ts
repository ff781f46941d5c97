import { migrationText } from "../../commands/text/migration-text.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type MigrateOptions = {
  readonly profile?: string;
  readonly dryRun?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
};

/** `talaria codex-runtime migrate`: what of our settings goes into codex's own config.toml. Failures are the caller's. */
export async function migrate(ports: CliPorts, options: MigrateOptions): Promise<ExitCode> {
  const { profile, dryRun = false, remove = false } = options;
  await using host = await ports.openHost({
    ...(profile === undefined ? {} : { profile }),
    skipRepair: true,
  });
  const report = await host.migration.run({ dryRun, remove });
  if (options.json === true) {
    ports.stdout.write(`${JSON.stringify({ dryRun, ...report })}\n`);
    return 0;
  }
  ports.stdout.write(`${migrationText(report, { dryRun, remove })}\n`);
  for (const warning of report.warnings) ports.stderr.write(`talaria: warning: ${warning}\n`);
  return 0;
}
