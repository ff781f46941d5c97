import { contextText } from "../../commands/text/context-text.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type ContextOptions = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly session?: string;
};

/** `talaria context`: what the next turn gives to the model, line by line. */
export async function context(
  ports: CliPorts,
  { profile, json, session }: ContextOptions,
): Promise<ExitCode> {
  await using host = await ports.openHost({
    ...(profile === undefined ? {} : { profile }),
    skipRepair: true,
  });
  const known = session === undefined ? undefined : await host.sessions.get(session);
  const bill = await host.context(known?.id, known?.cwd ?? ports.cwd);
  const { lines, ...rest } = bill;
  if (json === true) for (const line of [...lines, rest]) ports.stdout.write(`${JSON.stringify(line)}\n`);
  if (json !== true) ports.stdout.write(`${contextText(bill)}\n`);
  return 0;
}
