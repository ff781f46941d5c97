import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** One pixel. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });
const reads = { annotations: { readOnlyHint: true } };

/** A server that behaves, with every kind of result that there is. */
export function goodServer(): McpServer {
  const server = new McpServer({ name: "good", version: "1" }, { capabilities: { tools: {} } });
  addResults(server);
  addQuestions(server);
  server.registerTool("pid", { ...reads, description: "Who runs." }, async () => text(String(process.pid)));
  server.registerTool("env", { ...reads, description: "The environment." }, async () =>
    text(JSON.stringify(process.env)),
  );
  server.registerTool(
    "write",
    { description: "Changes something.", inputSchema: z.object({ to: z.string() }) },
    async ({ to }) => text(`wrote ${to}`),
  );
  server.registerTool(
    "wipe",
    { description: "Deletes everything.", annotations: { destructiveHint: true } },
    async () => text("wiped"),
  );
  server.registerResource("notes", "memo://notes", { description: "My notes" }, async (uri) => ({
    contents: [
      { uri: uri.href, text: "remember the milk" },
      { uri: "memo://picture", mimeType: "image/png", blob: png },
    ],
  }));
  server.registerPrompt(
    "greet",
    { description: "Says hello", argsSchema: z.object({ who: z.string() }) },
    ({ who }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Say hello to ${who}` } }],
    }),
  );
  return server;
}

function addResults(server: McpServer): void {
  server.registerTool(
    "echo",
    { ...reads, description: "Says it again.", inputSchema: z.object({ text: z.string() }) },
    async ({ text: words }) => text(`echo: ${words}`),
  );
  server.registerTool("structured", { ...reads, description: "Data only." }, async () => ({
    content: [],
    structuredContent: { answer: 42 },
  }));
  server.registerTool("media", { ...reads, description: "All kinds at once." }, async () => ({
    content: [
      { type: "text", text: "look" },
      { type: "image", data: png, mimeType: "image/png" },
      { type: "audio", data: Buffer.from("RIFF").toString("base64"), mimeType: "audio/wav" },
      { type: "resource_link", uri: "memo://notes", name: "notes" },
      { type: "resource", resource: { uri: "memo://inline", text: "inline text" } },
    ],
  }));
  server.registerTool("wrong", { ...reads, description: "Fails." }, async () => ({
    ...text("it does not work"),
    isError: true,
  }));
  server.registerTool(
    "long",
    { ...reads, description: "Says much.", inputSchema: z.object({ size: z.number() }) },
    async ({ size }) => text("x".repeat(size)),
  );
}

function addQuestions(server: McpServer): void {
  server.registerTool("order", { ...reads, description: "Asks what to order." }, async (ctx) => {
    const answer = await ctx.mcpReq.elicitInput({
      mode: "form",
      message: "What shall it be?",
      requestedSchema: {
        type: "object",
        properties: {
          dish: { type: "string", enum: ["soup", "salad"] },
          many: { type: "integer", title: "How many" },
          now: { type: "boolean" },
          note: { type: "string" },
        },
        required: ["dish", "many", "now"],
      },
    });
    return text(JSON.stringify(answer));
  });
  server.registerTool("login", { ...reads, description: "Asks for a password." }, async (ctx) => {
    const answer = await ctx.mcpReq.elicitInput({
      mode: "form",
      message: "Please sign in",
      requestedSchema: { type: "object", properties: { password: { type: "string" } } },
    });
    return text(JSON.stringify(answer));
  });
}
