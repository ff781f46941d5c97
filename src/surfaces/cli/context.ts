import { contextText } from "../../commands/text/context-text.ts";
import { runOnHost } from "./command-output.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type ContextOptions = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly session?: string;
};

/** `talaria context`: what the next turn gives to the model, line by line. */
export async function context(ports: CliPorts, options: ContextOptions): Promise<ExitCode> {
  return await runOnHost(ports, options, async (host) => {
    const known = options.session === undefined ? undefined : await host.sessions.get(options.session);
    const bill = await host.context(known?.id, known?.cwd ?? ports.cwd);
    const { lines, ...rest } = bill;
    return { text: contextText(bill), rows: [...lines, rest] };
  });
}
