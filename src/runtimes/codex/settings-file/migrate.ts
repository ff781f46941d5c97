import { stat } from "node:fs/promises";
import { join } from "node:path";
import { FaultError } from "../../../core/faults.ts";
import { Refusal } from "../../../core/host.ts";
import type { Json } from "../../../core/json.ts";
import type { MigrationOptions, MigrationReport } from "../../../core/migration.ts";
import { GuardedFileError } from "../../../lib/guarded-file/guarded-file-error.ts";
import { type Edit, type FileTools, editFile, lookAtFile } from "../../../lib/guarded-file/guarded-file.ts";
import { unifiedDiff } from "../../../tools/files/unified-diff.ts";
import type { WantedSettings, WantedServer } from "./block.ts";
import { permission } from "./old-block.ts";
import { ownServerName } from "./own-server.ts";
import { unguarded } from "./refused.ts";
import { type Rewritten, rewrite } from "./rewrite.ts";
import { serverReports, translateServers } from "./server-reports.ts";

export type MigrateParts = FileTools & {
  /** CODEX_HOME. */
  readonly home: string;
  /** `mcp_servers` as our settings have it. */
  readonly servers: Json | undefined;
  /** Rejects if codex cannot be asked. */
  readonly plugins: () => Promise<ReadonlyMap<string, boolean>>;
  /** Our own tools; written only when they answer. */
  readonly ownServer: { readonly is: WantedServer; readonly answers: () => Promise<boolean> };
};

/** Brings the block in codex's config.toml up to date, or takes it out. Rejects with a Refusal or a FaultError. */
export async function migrate(parts: MigrateParts, options: MigrationOptions): Promise<MigrationReport> {
  const file = join(parts.home, "config.toml");
  const ours = translateServers(parts.servers);
  const translated = options.remove === true ? translateServers(undefined) : ours;
  const { wanted, warnings } =
    options.remove === true ? nothingWanted : await wantedSettings(parts, translated.wanted);
  const servers = new Map([...ours.wanted, [ownServerName, parts.ownServer.is]]);
  let last: Rewritten | undefined;
  const change = (before: string | undefined): string | undefined => {
    last = rewrite(file, before ?? "", wanted, servers);
    return before === undefined && last.text === "" ? undefined : last.text;
  };
  const edit = await run(options.dryRun === true ? lookAtFile : editFile, file, change, parts);
  const { before, after, written, backup, saved } = edit;
  const result = last ?? rewrite(file, before ?? "", wanted, servers);
  const { block } = result;
  return {
    file,
    diff: before === after || after === undefined ? "" : unifiedDiff(file, before, after).text,
    written,
    servers: serverReports(translated, result),
    plugins: activePlugins(wanted, block.plugins),
    ...(block.permission ? { permission } : {}),
    tools: block.servers.has(ownServerName),
    ...(backup === undefined ? {} : { backup }),
    warnings: [
      ...translated.warnings,
      ...warnings,
      ...fileWarnings(file, result, wanted, saved),
      ...(await looseMode(file, wanted, block.servers)),
    ],
  };
}

/** Codex writes those that it installs itself, so most are the person's. Unasked, it is what the block names. */
const activePlugins = (wanted: WantedSettings | undefined, named: readonly string[]): readonly string[] =>
  wanted?.plugins === undefined ? named : [...wanted.plugins].flatMap(([name, isOn]) => (isOn ? [name] : []));

type WantedResult = { readonly wanted: WantedSettings | undefined; readonly warnings: readonly string[] };

const nothingWanted: WantedResult = { wanted: undefined, warnings: [] };

async function wantedSettings(
  { plugins, ownServer }: MigrateParts,
  servers: ReadonlyMap<string, WantedServer>,
): Promise<WantedResult> {
  const [listed, answers] = await Promise.all([
    plugins().catch((error: unknown) => (error instanceof Error ? error.message : String(error))),
    ownServer.answers(),
  ]);
  const unheard = `Codex could not be asked for its plugins, so what the file has of them stays: ${String(listed)}. Run this again when codex works.`;
  const unready = `Talaria's own tools are not offered to codex there: \`talaria mcp\` does not answer. Run it to see why, then run this again.`;
  return {
    wanted: {
      servers: answers ? new Map([...servers, [ownServerName, ownServer.is]]) : servers,
      plugins: typeof listed === "string" ? undefined : listed,
    },
    warnings: [...(typeof listed === "string" ? [unheard] : []), ...(answers ? [] : [unready])],
  };
}

async function run(
  how: typeof editFile,
  file: string,
  change: (before: string | undefined) => string | undefined,
  tools: FileTools,
): Promise<Edit> {
  try {
    return await how(file, change, tools);
  } catch (error) {
    if (error instanceof FaultError || error instanceof Refusal) throw error;
    if (error instanceof GuardedFileError) throw unguarded(error);
    const why = error instanceof Error ? error.message : String(error);
    const next = "Check that there is room on the disk and that you may write to the folder.";
    throw new FaultError({ code: "storage", message: `${file} could not be written: ${why}.`, next }, error);
  }
}

/** What is in there may be a secret. */
async function looseMode(
  file: string,
  wanted: WantedSettings | undefined,
  written: ReadonlySet<string>,
): Promise<readonly string[]> {
  const mayBeSecret = [...(wanted?.servers ?? [])].some(
    ([name, { settings }]) => written.has(name) && ("env" in settings || "http_headers" in settings),
  );
  const mode = await stat(file).then(
    (found) => found.mode,
    () => 0,
  );
  if (!mayBeSecret || (mode & 0o044) === 0) return [];
  return [
    `${file} can be read by other users of this machine, and variables or headers of servers are in it. Run: chmod 600 ${file}`,
  ];
}

/** What there is to know about the file, each with the next step. */
function fileWarnings(
  file: string,
  { block, person, movedOut }: Rewritten,
  wanted: WantedSettings | undefined,
  saved: readonly string[],
): readonly string[] {
  const groups = { mcp_servers: wanted?.servers.size ?? 0, plugins: wanted?.plugins?.size ?? 0 };
  const closed = (["mcp_servers", "plugins"] as const).filter(
    (group) => groups[group] > 0 && person.isClosed(group),
  );
  const hasOwnTools = wanted?.servers.has(ownServerName) === true && !block.servers.has(ownServerName);
  return [
    ...closed.map(
      (group) =>
        `${group} in ${file} is written in one piece, to which nothing can be added. Write it as tables ([${group}.NAME]) and run this again.`,
    ),
    ...(hasOwnTools && !person.isClosed("mcp_servers")
      ? [
          `Your own [mcp_servers.${ownServerName}] is used instead of Talaria's. Rename it if that is not meant.`,
        ]
      : []),
    ...(wanted !== undefined && person.limits === "details"
      ? [
          `default_permissions was not set to ${permission}, because that would override your [sandbox_workspace_write]. Set sandbox_mode = "workspace-write" yourself if codex is to write without asking.`,
        ]
      : []),
    ...(movedOut.length === 0
      ? []
      : [
          `Between Talaria's lines stood settings that are not Talaria's (${movedOut.join(", ")}): codex writes its own there. They stand outside now; nothing needs to be done.`,
        ]),
    ...(block.dropped.length === 0
      ? []
      : [
          `What was added to ${block.dropped.join(", ")} between Talaria's lines goes with it. It is in ${file}.talaria-backup if you need it.`,
        ]),
    ...saved.map(
      (path) =>
        `Somebody saved ${file} in the moment in which it was replaced. That text is in ${path}: take from it what is missing.`,
    ),
  ];
}
