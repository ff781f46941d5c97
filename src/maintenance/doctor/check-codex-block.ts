import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Facts, Readable } from "./facts.ts";
import { type Finding, type Probe, fine, note } from "./probe.ts";

/** What Talaria has written into codex's own config.toml, where it has. */
export function blockProbes({ settings, env, clock }: Facts): readonly Probe[] {
  if ("fault" in settings) return [];
  return [{ name, look: () => blockChecks(settings, { env, clock }), limitMs: 25_000 }];
}

const name = "codex block";

async function blockChecks(
  { loaded, login }: Readable,
  { env, clock }: Pick<Facts, "env" | "clock">,
): Promise<readonly Finding[]> {
  const known = await login();
  if (known === undefined || known.state === "settings") return [];
  const file = join(known.home, "config.toml");
  const text = await readFile(file, "utf8").catch(() => "");
  const { cutAtMarks } = await import("../../runtimes/codex/settings-file/markers.ts");
  if (cutAtMarks(file, text).body === undefined) return [];
  const { codexMigration } = await import("../../host/codex/migration.ts");
  const processes = { add: async () => {}, remove: async () => {} };
  const migration = codexMigration({ loaded, env, clock, processes, version: "0" });
  const { diff } = await migration.run({ dryRun: true });
  if (diff === "") return [fine(name, `what Talaria wrote into ${file} is up to date`)];
  const detail = `what Talaria wrote into ${file} is no longer what its settings say`;
  return [
    note(name, detail, "talaria codex-runtime migrate brings it up to date; --dry-run shows the difference."),
  ];
}
