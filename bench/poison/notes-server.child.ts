/** An MCP server on stdio whose one tool reads out what somebody wrote. Argument: the folder of the notes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdin, stdout } from "node:process";
import { lines } from "../../src/lib/rpc/jsonl.ts";

type Asked = { id?: number; method: string; params?: Record<string, unknown> };

for await (const line of lines(stdin)) {
  const { id, method, params = {} } = JSON.parse(line) as Asked;
  if (id !== undefined)
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: answer(method, params) })}\n`);
}

function answer(method: string, params: Record<string, unknown>): object {
  if (method === "initialize") {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } };
  }
  if (method === "tools/list") {
    const inputSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const annotations = { readOnlyHint: true };
    return { tools: [{ name: "read", description: "Reads out a note.", inputSchema, annotations }] };
  }
  if (method !== "tools/call") return {};
  const { name } = params["arguments"] as { name: string };
  return { content: [{ type: "text", text: readFileSync(join(argv[2] ?? "", `${name}.md`), "utf8") }] };
}
