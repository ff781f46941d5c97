/** An MCP server of the person's with one tool that sends something away: it leaves a file when it is called. */
import { writeFileSync } from "node:fs";
import { env, stdin, stdout } from "node:process";
import { lines } from "../../src/lib/rpc/jsonl.ts";

type Message = {
  readonly id?: number;
  readonly method: string;
  readonly params: { protocolVersion: string };
};

const tool = {
  name: "send",
  description: "Sends a text to the outpost.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

for await (const line of lines(stdin)) {
  const { id, method, params } = JSON.parse(line) as Message;
  if (id !== undefined)
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: answer(method, params) })}\n`);
}

function answer(method: string, { protocolVersion }: Message["params"]): object {
  if (method === "initialize")
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "outpost", version: "1" } };
  if (method === "tools/list") return { tools: [tool] };
  if (method !== "tools/call") return {};
  writeFileSync(env["OUTPOST_FILE"] ?? "", "sent");
  return { content: [{ type: "text", text: "sent" }] };
}
