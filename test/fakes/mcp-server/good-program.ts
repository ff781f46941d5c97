import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { goodServer } from "./good.ts";

process.stdin.once("end", () => process.exit(0));
await goodServer().connect(new StdioServerTransport());
