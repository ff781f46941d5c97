import { createHash } from "node:crypto";
import { plainName } from "./definition.ts";

type ServerTool = { readonly server: string; readonly tool: string };

const maxChars = 64;
const hashChars = 8;

/**
 * Names that every protocol takes, one for each tool: `mcp__<server>__<tool>`, other characters as `_`. One that is too
 * long, or that another tool has too, ends with a piece of a hash. The same tools get the same names, in any order.
 */
export function toolNames(tools: readonly ServerTool[]): ReadonlyMap<string, string> {
  const claims = new Map<string, ServerTool[]>();
  for (const tool of tools) claims.set(plain(tool), [...(claims.get(plain(tool)) ?? []), tool]);
  const names = new Map<string, string>();
  for (const [name, rivals] of claims) {
    for (const [at, tool] of rivals.toSorted(byClaim).entries())
      names.set(toolKey(tool), at === 0 && name.length <= maxChars ? name : hashed(name, tool));
  }
  return names;
}

export const toolKey = ({ server, tool }: ServerTool): string => JSON.stringify([server, tool]);

/** What its tools are switched on and off with. */
export const toolsetOf = (server: string): string => `mcp-${server}`;

const plain = ({ server, tool }: ServerTool): string => `mcp__${safe(server)}__${safe(plainName(tool))}`;

const safe = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/gu, "_");

/** A tool whose name needed no change comes first; among equals the alphabet decides. */
function byClaim(a: ServerTool, b: ServerTool): number {
  const altered = Number(isAltered(a)) - Number(isAltered(b));
  return altered !== 0 ? altered : toolKey(a) < toolKey(b) ? -1 : 1;
}

const isAltered = ({ server, tool }: ServerTool): boolean => safe(server) !== server || safe(tool) !== tool;

function hashed(name: string, tool: ServerTool): string {
  const hash = createHash("sha256").update(toolKey(tool)).digest("hex").slice(0, hashChars);
  return `${name.slice(0, maxChars - hashChars - 1)}_${hash}`;
}
