import { createHash } from "node:crypto";
import { plainName } from "./definition.ts";

type Place = { readonly server: string; readonly tool: string };

const maxChars = 64;
const hashChars = 8;

/**
 * Names that every protocol takes, one for each tool: `mcp__<server>__<tool>`, other characters as `_`. One that is too
 * long, or that another tool has too, ends with a piece of a hash. The same tools get the same names, in any order.
 */
export function toolNames(places: readonly Place[]): ReadonlyMap<string, string> {
  const claims = new Map<string, Place[]>();
  for (const place of places) claims.set(plain(place), [...(claims.get(plain(place)) ?? []), place]);
  const names = new Map<string, string>();
  for (const [name, rivals] of claims) {
    for (const [at, place] of rivals.toSorted(byClaim).entries())
      names.set(placeKey(place), at === 0 && name.length <= maxChars ? name : hashed(name, place));
  }
  return names;
}

export const placeKey = ({ server, tool }: Place): string => JSON.stringify([server, tool]);

/** What its tools are switched on and off with. */
export const toolsetOf = (server: string): string => `mcp-${server}`;

const plain = ({ server, tool }: Place): string => `mcp__${safe(server)}__${safe(plainName(tool))}`;

const safe = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/gu, "_");

/** Whose own name it is comes first; what remains is settled by the alphabet. */
function byClaim(a: Place, b: Place): number {
  const bent = Number(isBent(a)) - Number(isBent(b));
  return bent !== 0 ? bent : placeKey(a) < placeKey(b) ? -1 : 1;
}

const isBent = ({ server, tool }: Place): boolean => safe(server) !== server || safe(tool) !== tool;

function hashed(name: string, place: Place): string {
  const hash = createHash("sha256").update(placeKey(place)).digest("hex").slice(0, hashChars);
  return `${name.slice(0, maxChars - hashChars - 1)}_${hash}`;
}
