import { fileURLToPath } from "node:url";

const good = fileURLToPath(new URL("./good-program.ts", import.meta.url));
const bad = fileURLToPath(new URL("./bad-program.ts", import.meta.url));

type Program = { readonly command: string; readonly args: string[] };

/** The servers of this folder that are programs, as they are written under `mcp_servers`. */
export const goodProgram: Program = { command: process.execPath, args: [good] };

export const badProgram = (fault: string, ...more: readonly string[]): Program => ({
  command: process.execPath,
  args: [bad, fault, ...more],
});
