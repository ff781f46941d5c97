import { systemClock } from "../../src/lib/clock.ts";
import { runCommand } from "../../src/lib/process/command.ts";

/** Runs npm with the settings of whoever runs this, and returns what it printed. */
export async function npm(args: readonly string[]): Promise<string> {
  const settings = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const { code, stdout, stderr } = await runCommand({
    command: "npm",
    args,
    cwd: process.cwd(),
    env: Object.fromEntries(settings) as Record<string, string>,
    clock: systemClock,
    signal: new AbortController().signal,
    timeoutMs: 10 * 60_000,
  });
  if (code === 0) return stdout;
  throw new Error(`npm ${args.join(" ")} failed; the network may be missing. It said: ${stderr}`);
}
