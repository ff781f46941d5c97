import { checkLine } from "../../commands/table.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

/** `talaria doctor`: every check with its next step. Exit 1 when one failed. */
export async function doctor(
  ports: CliPorts,
  options: { readonly profile?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const profile = options.profile === undefined ? {} : { profile: options.profile };
  await using host = await ports.openHost({ ...profile, readOnly: true });
  const checks = await host.checks();
  for (const check of checks) {
    ports.stdout.write(`${options.json === true ? JSON.stringify(check) : checkLine(check)}\n`);
  }
  return checks.every((check) => check.ok) ? 0 : 1;
}
