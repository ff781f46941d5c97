import { toolListText } from "../../commands/text/tool-list-text.ts";
import type { Host } from "../../core/host.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type ToolsOptions = { readonly profile?: string; readonly json?: boolean };

/** `talaria tools list|on|off`. */
export async function tools(
  ports: CliPorts,
  action: "list" | "on" | "off",
  names: readonly string[],
  { profile, json }: ToolsOptions,
): Promise<ExitCode> {
  await using host = await ports.openHost({
    ...(profile === undefined ? {} : { profile }),
    skipRepair: true,
  });
  const say = (text: string): void => void ports.stdout.write(`${text}\n`);
  if (action === "list") await list(host, say, json === true);
  if (action !== "list") await turn(host, say, names, action, json === true);
  return 0;
}

async function list(host: Host, say: (text: string) => void, json: boolean): Promise<void> {
  const all = await host.tools();
  if (!json) return say(toolListText(all));
  for (const tool of all) say(JSON.stringify(tool));
}

async function turn(
  host: Host,
  say: (text: string) => void,
  names: readonly string[],
  action: "on" | "off",
  json: boolean,
): Promise<void> {
  const { changed, file, ignoredByCodex: unheeded } = await host.switchTools(names, action === "on");
  if (json) return say(JSON.stringify({ switched: action, changed, file, unheeded }));
  if (changed.length === 0) return say(`Already ${action}: ${names.join(", ")}. Nothing was changed.`);
  const done = `Switched ${action}: ${changed.join(", ")}.\nIt is in ${file}. A Talaria that runs now keeps its tools.`;
  say([done, ...unheeded].join("\n"));
}
