import {
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type ElicitResult,
  Server,
  type ServerContext,
  type Tool,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import type { SideEffect } from "../../core/asking.ts";
import type { OfferedTool, ToolResult, ToolServer } from "../../core/tooling.ts";

/** What clients may ask of us, on the protocol's own library. For one connection. */
export const newServer = (version: string): Server =>
  new Server({ name: "talaria", title: "Talaria", version }, { capabilities: { tools: {} }, instructions });

export function offer(server: Server, tools: ToolServer): void {
  server.setRequestHandler("tools/list", async () => ({ tools: (await tools.list()).map(definition) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { signal } = context.mcpReq;
    return result(await tools.call(params.name, params.arguments ?? {}, signal, progressTo(context)));
  });
}

const instructions =
  "Tools of Talaria, a personal agent of this person: its past conversations, the web, a browser, pictures, speech, and " +
  "tasks to hand on. What needs a permission is asked by itself; a result that says no is final.";

/** The schema is the one that every model gets. */
const definition = ({ name, description, parameters, effect }: OfferedTool): Tool => ({
  name,
  description,
  inputSchema: parameters as Tool["inputSchema"],
  annotations: annotations[effect],
});

const annotations: Readonly<Record<SideEffect, ToolAnnotations>> = {
  none: { readOnlyHint: true, openWorldHint: false },
  local: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  external: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  destructive: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

const result = ({ ok, output }: ToolResult): CallToolResult => ({
  content: [{ type: "text", text: output }],
  ...(ok ? {} : { isError: true }),
});

/** For clients that asked for it. There is no measure for how far a tool is, so the messages are counted. */
function progressTo({ mcpReq }: ServerContext): ((text: string) => void) | undefined {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** A client that names no kind of question means forms. */
export function canShowForms(capabilities: ClientCapabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The question's own time ends it, not the library's. */
const longestWaitMs = 24 * 60 * 60_000;

export const elicitFrom =
  (server: Server, inputEnd: AbortSignal) =>
  (params: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult> =>
    server.request(
      { method: "elicitation/create", params },
      { signal: AbortSignal.any([signal, inputEnd]), timeout: longestWaitMs },
    );
