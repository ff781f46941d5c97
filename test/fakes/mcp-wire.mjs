/** A tiny MCP server on stdio with one tool that says nothing of itself: it writes down what it was called with. */
import { appendFileSync } from "node:fs";

let buffer = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  buffer += chunk;
  for (let end = buffer.indexOf("\n"); end >= 0; end = buffer.indexOf("\n")) {
    const message = JSON.parse(buffer.slice(0, end));
    buffer = buffer.slice(end + 1);
    const result = answer(message);
    if (message.id !== undefined)
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n`);
  }
});

function answer({ method, params }) {
  if (method === "initialize") {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "wire", version: "1" } };
  }
  if (method === "tools/list") {
    const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    return { tools: [{ name: "act", description: "Acts on a path.", inputSchema }] };
  }
  if (method === "tools/call") {
    const { WIRE_FILE } = process.env;
    // Without a file to write to, the path itself is where it shows.
    appendFileSync(WIRE_FILE ?? params.arguments.path, `${params.arguments.path}\n`);
    return { content: [{ type: "text", text: "acted" }] };
  }
  return {};
}
