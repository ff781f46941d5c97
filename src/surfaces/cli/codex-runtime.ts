import type { Command } from "commander";
import { listing } from "./listing.ts";
import type { MigrateOptions } from "./migrate.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

const actions = {
  status: "what the default is, and whether codex can be used",
  on: "run turns on codex app-server by default",
  off: "run turns on Talaria's own loop by default",
} as const;

/** `talaria codex-runtime`: the slash command for a shell, and codex's own settings. */
export function describeCodexRuntime(
  program: Command,
  ports: CliPorts,
  exit: (code: ExitCode) => void,
): void {
  const parent = program
    .command("codex-runtime")
    .description("who runs the turns by default, and codex's own settings");
  for (const action of ["status", "on", "off"] as const)
    listing(
      parent,
      action,
      actions[action],
      async (command) => exit(await defaultRuntime(ports, action, command.optsWithGlobals<Options>())),
      action === "status",
    );
  parent
    .command("migrate")
    .description("write your MCP servers and Talaria's tools to codex's config.toml, in a block of its own")
    .option("--dry-run", "only show what would be written")
    .option("--remove", "take the block out again")
    .option("--json", "one JSON object")
    .action(async (_options: unknown, command: Command) =>
      exit(await (await import("./migrate.ts")).migrate(ports, command.optsWithGlobals<MigrateOptions>())),
    );
}

type Options = { readonly profile?: string; readonly json?: boolean };

async function defaultRuntime(
  { openHost, stdout, cwd }: CliPorts,
  action: keyof typeof actions,
  { profile, json }: Options,
): Promise<ExitCode> {
  const { dispatch } = await import("../../commands/dispatch.ts");
  await using host = await openHost({ ...(profile === undefined ? {} : { profile }), skipRepair: true });
  const before = host.status().runtime;
  const call = { surface: "cli", cwd, choices: {}, attended: "none", owner: true, busy: false } as const;
  const reply = await dispatch(`/codex-runtime ${action === "status" ? "" : action}`, call, host);
  const text = reply.text.replaceAll("/codex-runtime ", "talaria codex-runtime ");
  const runtime = host.status().runtime;
  const report = { default: runtime, changed: runtime !== before, text };
  stdout.write(`${json === true ? JSON.stringify(report) : text}\n`);
  return action === "status" || runtime === wanted[action] ? 0 : 1;
}

const wanted = { on: "codex", off: "loop" } as const;
