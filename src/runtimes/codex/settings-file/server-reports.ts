import { isPlainObject, type Json } from "../../../core/json.ts";
import type { MigratedServer } from "../../../core/migration.ts";
import { type CodexServer, codexServer } from "../thread-settings/mcp-servers.ts";
import type { WantedServer } from "./block.ts";
import { ownServerName } from "./own-server.ts";
import type { Rewritten } from "./rewrite.ts";

/** Our servers in codex's words, and those for which there are none. */
export type TranslatedServers = {
  readonly wanted: ReadonlyMap<string, WantedServer>;
  readonly notes: ReadonlyMap<string, readonly string[]>;
  readonly leftOut: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
};

/** Any other name fails when codex starts the server. */
const nameOfCodex = /^[a-zA-Z0-9_:@/.-]+$/;

export function translateServers(written: Json | undefined): TranslatedServers {
  if (written !== undefined && written !== null && !isPlainObject(written)) {
    const warning = `mcp_servers in Talaria's settings is not a map of names to settings, so none is written. Correct it: talaria config path`;
    return { wanted: new Map(), notes: new Map(), leftOut: new Map(), warnings: [warning] };
  }
  const all = Object.entries((written ?? {}) as Readonly<Record<string, Json>>).map(
    ([name, server]) => [name, judged(name, server)] as const,
  );
  const good = all.flatMap(([name, server]) => (typeof server === "string" ? [] : [[name, server] as const]));
  return {
    wanted: new Map(good as readonly (readonly [string, WantedServer])[]),
    notes: new Map(good.map(([name, { unknown, notes }]) => [name, [...unknown.map(nothingFor), ...notes]])),
    leftOut: new Map(
      all.flatMap(([name, server]) => (typeof server === "string" ? [[name, server] as const] : [])),
    ),
    warnings: [],
  };
}

const nothingFor = (key: string): string => `${key}: codex has nothing for it`;

/** A text says why there is none. */
function judged(name: string, written: Json): CodexServer | string {
  if (name === ownServerName) return "the name is that of Talaria's own tools";
  if (!nameOfCodex.test(name))
    return "codex takes only letters, digits and _ : @ / . - in the name of a server";
  const server = codexServer(written);
  return "why" in server ? `it ${server.why}` : server;
}

/** What became of each, by name. */
export function serverReports(
  { wanted: wantedServers, notes, leftOut }: TranslatedServers,
  { block, person }: Rewritten,
): readonly MigratedServer[] {
  const placed = [...wantedServers].map(([name, { off, settings }]): MigratedServer => {
    const about = notes.get(name) ?? [];
    if (block.servers.has(name)) {
      const added = block.additions.get(name);
      const kept = added === undefined ? [] : [`kept what was added to it there: ${added.join(", ")}`];
      return { name, state: off ? "off" : "migrated", notes: [...about, ...kept] };
    }
    if (person.has("mcp_servers", name, new Set(Object.keys(settings)))) {
      return { name, state: "yours", notes: ["your own table of that name is used"] };
    }
    return { name, state: "left out", notes: ["nothing can be added to your mcp_servers as it is written"] };
  });
  const without = [...leftOut].map(([name, why]): MigratedServer => ({
    name,
    state: "left out",
    notes: [why],
  }));
  return [...placed, ...without].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
