import { join } from "node:path";
import type { Json } from "../../src/core/json.ts";
import type { MigrationReport } from "../../src/core/migration.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { fileSwapper } from "../../src/lib/files/swap-file.ts";
import { migrate } from "../../src/runtimes/codex/settings-file/migrate.ts";

export const fileIn = (home: string): string => join(home, "config.toml");

/** Servers as they are in the n-th state of our settings: each has another block. */
const serversAt = (count: number): Json => ({
  files: { command: "npx", args: ["-y", `server-${count}`], timeout: 30 },
  ...(count % 3 === 0 ? { web: { url: `http://127.0.0.1/${count}` } } : {}),
});

/** One migration without codex. `PATH` decides whether there is a perl. */
export const migrateAt = (
  home: string,
  count: number,
  env: { readonly PATH?: string },
): Promise<MigrationReport> =>
  migrate(
    {
      home,
      servers: serversAt(count),
      plugins: async () => new Map(),
      ownServer: { is: { settings: { command: "talaria" }, off: false }, answers: async () => false },
      clock: systemClock,
      swap: fileSwapper(env, systemClock),
    },
    {},
  );

/** Without the migration's own code: the text outside of the marks. */
export function outside(text: string): string {
  const begin = text.search(/^# >>> talaria/m);
  const end = text.search(/^# <<< talaria/m);
  if (begin === -1 || end < begin) return text;
  const next = text.indexOf("\n", end);
  return next === -1 ? text.slice(0, begin).replace(/\n$/, "") : text.slice(0, begin) + text.slice(next + 1);
}
