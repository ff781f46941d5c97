import type { Host } from "../../core/host.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

/** What a command says: `text` to people, `rows` to a program that asked for JSON lines. */
export type CommandOutput = {
  readonly text: string;
  readonly rows: readonly object[];
  /** 0 unless said. */
  readonly code?: ExitCode;
};

/** Runs a command that needs the host but runs no turn, and prints what it says. */
export async function runOnHost(
  { openHost, stdout }: Pick<CliPorts, "openHost" | "stdout">,
  { profile, json }: { readonly profile?: string; readonly json?: boolean },
  act: (host: Host) => Promise<CommandOutput>,
): Promise<ExitCode> {
  await using host = await openHost({ ...(profile === undefined ? {} : { profile }), skipRepair: true });
  const { text, rows, code = 0 } = await act(host);
  if (json === true) printJson({ stdout }, rows);
  if (json !== true) print({ stdout }, text);
  return code;
}

export function print({ stdout }: Pick<CliPorts, "stdout">, text: string): 0 {
  stdout.write(`${text}\n`);
  return 0;
}

export function printJson({ stdout }: Pick<CliPorts, "stdout">, rows: readonly object[]): 0 {
  for (const row of rows) stdout.write(`${JSON.stringify(row)}\n`);
  return 0;
}
