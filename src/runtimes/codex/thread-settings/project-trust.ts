import { realpathSync } from "node:fs";
import { isInside } from "../../../lib/sandbox/paths.ts";
import { type Fields, fieldsOf } from "../wire/fields.ts";

/**
 * For the settings of a thread: the folder is not trusted, unless the person's own codex settings have a word about it.
 * Codex would take a sandbox that we ask for as the person's trust in the project, write that into their settings, and
 * start whatever program the repository's own `.codex/config.toml` names.
 */
export function projectTrust(cwd: string, projects: Fields): { readonly projects?: object } {
  const names = [...new Set([cwd, withoutLinks(cwd)])];
  const isSettled = Object.entries(projects).some(
    ([folder, settings]) =>
      fieldsOf(settings)["trust_level"] !== undefined && names.some((name) => isInside(name, folder)),
  );
  if (isSettled) return {};
  return { projects: Object.fromEntries(names.map((name) => [name, { trust_level: "untrusted" }])) };
}

function withoutLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
