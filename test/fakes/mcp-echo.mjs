/** A tiny MCP server on stdio with one harmless tool, or one for each name in ECHO_TOOLS, for tests. */
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
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "echo", version: "1" } };
  }
  if (method === "tools/list") {
    const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    const annotations = { readOnlyHint: true };
    const names = (process.env.ECHO_TOOLS ?? "repeat").split(" ");
    return {
      tools: names.map((name) => ({ name, description: "Repeats a text.", inputSchema, annotations })),
    };
  }
  if (method === "tools/call") {
    return { content: [{ type: "text", text: `${process.env.ECHO_PREFIX}: ${params.arguments.text}` }] };
  }
  return {};
}
