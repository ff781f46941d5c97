import type { CliPorts, ExitCode } from "./ports.ts";

/** `talaria [-p NAME] codex …`: everything behind the word is codex's own, options included. */
export function codexArguments(
  argv: readonly string[],
): { readonly profile?: string; readonly args: readonly string[] } | undefined {
  const [first, second, third] = argv;
  if (first === "codex") return { args: argv.slice(1) };
  const hasProfile = first === "-p" || first === "--profile";
  return hasProfile && second !== undefined && third === "codex"
    ? { profile: second, args: argv.slice(3) }
    : undefined;
}

/** Runs the codex that Talaria uses, on this terminal. Its exit codes are its own. */
export async function runCodex(
  ports: CliPorts,
  { profile, args }: { readonly profile?: string; readonly args: readonly string[] },
): Promise<ExitCode> {
  const { runForeground } = await import("../../lib/process/foreground.ts");
  const client = await ports.openBare(profile === undefined ? {} : { profile });
  const { path, env } = await client.call("codex.program", {});
  return (await runForeground(path, args, { cwd: ports.cwd, env })) as ExitCode;
}
