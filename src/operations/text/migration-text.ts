import type { Client } from "../../core/calls.ts";
import { toFailure } from "../../core/failure.ts";
import type { MigrationOptions, MigrationReport } from "../../core/migration.ts";
import { clean } from "../../core/plain-text.ts";
import { columns } from "./columns.ts";

/** What was or would be written to codex's settings, for people: the diff, each server, and what it comes to. */
export function migrationText(report: MigrationReport, options: MigrationOptions = {}): string {
  const rows = report.servers.map(({ name, state, notes }) => [name, state, notes.join("; ")]);
  const last = [...contentLines(report), doneLine(report, options)].join("\n");
  const parts = [report.diff.replaceAll("\r\n", "\n").trimEnd(), columns(rows).replaceAll(/ +$/gm, ""), last];
  return clean(parts.filter((part) => part !== "").join("\n\n"));
}

/** Migrates without ever failing, for callers that must go on. Says what was done; empty when there was nothing to do. */
export async function tryMigration(client: Client<"codex.migrate">): Promise<string> {
  try {
    const report = await client.call("codex.migrate", {});
    const text = report.diff === "" ? [] : [migrationText(report)];
    return [...text, ...report.warnings.map((warning) => clean(`! ${warning}`))].join("\n");
  } catch (error) {
    const { message, next } = toFailure(error);
    return clean(`! Codex's own settings were not brought up to date: ${message}\n→ ${next}`);
  }
}

const contentLines = ({ permission, plugins, tools }: MigrationReport): readonly string[] => [
  ...(permission === undefined
    ? []
    : [
        `Codex may write in the folder it works in (default_permissions = "${permission}"): your file says nothing of that.`,
      ]),
  ...(plugins.length === 0 ? [] : [`Plugins of codex that are on: ${plugins.join(", ")}.`]),
  ...(tools ? ["Talaria's own tools are there as the server talaria-tools."] : []),
];

function doneLine(
  { file, diff, written, backup }: MigrationReport,
  { remove = false }: MigrationOptions,
): string {
  if (diff === "" && remove) return `Nothing of Talaria's is in ${file}. Nothing was written.`;
  if (diff === "") return `${file} is as it should be. Nothing was written.`;
  if (!written) return `This is what would be written to ${file}. Nothing was written.`;
  const before = backup === undefined ? "" : ` As it was before: ${backup}`;
  if (remove) return `Talaria's part was taken out of ${file}.${before}`;
  return `Written to ${file}.${before}\nTo take it out again: talaria codex-runtime migrate --remove`;
}
