import type { Command } from "commander";

/** A subcommand that can also answer in JSON lines. */
export const listing = (
  parent: Command,
  usageLine: string,
  help: string,
  act: (command: Command) => Promise<void>,
  isDefault = false,
): Command =>
  parent
    .command(usageLine, { isDefault })
    .description(help)
    .option("--json", "JSON lines")
    .action((...all: unknown[]) => act(all.at(-1) as Command));
