import { toolListText } from "../../commands/text/tool-list-text.ts";
import type { Host } from "../../core/host.ts";
import { type CommandOutput, runOnHost } from "./command-output.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type ToolsOptions = { readonly profile?: string; readonly json?: boolean };

/** `talaria tools list|on|off`. */
export const tools = (
  ports: CliPorts,
  action: "list" | "on" | "off",
  names: readonly string[],
  options: ToolsOptions,
): Promise<ExitCode> =>
  runOnHost(ports, options, (host) => (action === "list" ? list(host) : turn(host, names, action)));

async function list(host: Host): Promise<CommandOutput> {
  const rows = await host.tools();
  return { text: toolListText(rows), rows };
}

async function turn(host: Host, names: readonly string[], action: "on" | "off"): Promise<CommandOutput> {
  const { changed, file, ignoredByCodex: unheeded } = await host.switchTools(names, action === "on");
  const text =
    changed.length === 0
      ? `Already ${action}: ${names.join(", ")}. Nothing was changed.`
      : [
          `Switched ${action}: ${changed.join(", ")}.`,
          `It is in ${file}. A Talaria that runs now keeps its tools.`,
          ...unheeded,
        ].join("\n");
  return { text, rows: [{ switched: action, changed, file, unheeded }] };
}
