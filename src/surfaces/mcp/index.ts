import type { Host } from "../../core/host.ts";
import { short } from "../../core/plain-text.ts";
import type { ToolAsker, ToolServer } from "../../core/tooling.ts";
import { redactor } from "../../lib/redact.ts";
import type { McpExit, McpOptions, McpPorts } from "./ports.ts";
import { questions } from "./questions.ts";
import { stdioTransport } from "./stdio.ts";
import { canShowForms, elicitFrom, newServer, offer } from "./tool-app.ts";

/**
 * Serves our tools to one client over stdin and stdout until it leaves: calls that it made before the end of its input
 * are answered, unless nobody reads any more. Rejects when Talaria cannot be opened or what is wanted is not offered: the
 * client sees that the program has ended.
 */
export async function mcp(ports: McpPorts, options: McpOptions): Promise<McpExit> {
  const mask = redactor();
  const log = (line: string): void => void ports.stderr.write(`talaria: ${mask(line)}\n`);
  const { profile } = options;
  // What a crash left is for a process that stays, and would make the client wait.
  await using host = await ports.openHost({
    skipRepair: true,
    ...(profile === undefined ? {} : { profile }),
  });
  for (const warning of host.warnings) log(`warning: ${warning}`);
  const server = newServer(ports.version);
  const inputEnd = new AbortController();
  await using tools = await openTools(host, askable(server, inputEnd.signal), ports, options);
  offer(server, tools);
  const over = Promise.withResolvers<void>();
  Object.assign(server, {
    onclose: over.resolve,
    onerror: (error: Error) => log(`the connection: ${short(error.message, longestError)}`),
  });
  let code: 0 | 130 | 143 = 0;
  const ignore = ports.onSignal(["SIGINT", "SIGTERM", "SIGHUP"], (signal) => {
    // The next one ends the process, whatever we are stuck in.
    ignore();
    code = signal === "SIGTERM" ? 143 : 130;
    void server.close();
  });
  await server.connect(
    stdioTransport(ports, {
      log,
      onInputEnd: () => inputEnd.abort(new Error("the client sends nothing more")),
    }),
  );
  await over.promise;
  ignore();
  return code;
}

type Server = ReturnType<typeof newServer>;
type Askable = { readonly name: () => string; readonly asker: ToolAsker };

const longestError = 200;
const longestName = 60;

/** Who sends nothing more cannot answer. */
const askable = (server: Server, inputEnd: AbortSignal): Askable => ({
  name: () => server.getClientVersion()?.name ?? "",
  asker: questions(
    elicitFrom(server, inputEnd),
    () => !inputEnd.aborted && canShowForms(server.getClientCapabilities()),
  ),
});

const openTools = (
  host: Host,
  { name, asker }: Askable,
  { cwd, env }: McpPorts,
  { tools, withLocalTools: local = false }: McpOptions,
): Promise<ToolServer> =>
  host.openTools({
    surface: "mcp",
    cwd,
    local,
    worker: (env["TALARIA_TASK"] ?? "") !== "",
    caller: () => short(name(), longestName) || "an MCP client",
    asker,
    ...(tools === undefined ? {} : { only: tools.split(",").map((each) => each.trim()) }),
  });
