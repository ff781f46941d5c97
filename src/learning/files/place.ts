import { lstat, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Refusal } from "../../core/host.ts";
import type { Revision } from "../../core/learning.ts";

/** Where a file of memory or of a skill is. */
export type Place = { readonly path: string; readonly kind: Revision["kind"]; readonly top: string };

const kinds: Readonly<Record<string, Revision["kind"]>> = { memories: "memory", skills: "skill" };

/** Rejects for a name that leads anywhere else, also by a link in a folder of skills. */
export async function placeOf(home: string, file: string): Promise<Place> {
  const [folder = "", ...names] = file.split("/");
  const kind = kinds[folder];
  if (kind === undefined || names.length === 0 || !names.every(isPlainName)) throw elsewhere(file);
  const top = join(home, folder);
  // The two files of memory have fixed names, and people keep them where they like; skills come from anywhere.
  if (kind === "skill") await refuseLinks(top, names, file);
  return { path: join(top, ...names), kind, top };
}

/** Takes folders away in which nothing is left. */
export async function pruneFolders({ path, top }: Pick<Place, "path" | "top">): Promise<void> {
  for (let folder = dirname(path); folder.startsWith(`${top}/`); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

// oxlint-disable-next-line no-control-regex
const isPlainName = (name: string): boolean => /^(?!\.{1,2}$)[^\u0000-\u001F\\/:]{1,200}$/.test(name);

async function refuseLinks(top: string, names: readonly string[], file: string): Promise<void> {
  for (let count = 1; count <= names.length; count++) {
    const found = await lstat(join(top, ...names.slice(0, count))).catch(() => undefined);
    if (found === undefined) return;
    if (found.isSymbolicLink()) throw elsewhere(file);
  }
}

const elsewhere = (file: string): Refusal =>
  new Refusal(
    "refused",
    `${JSON.stringify(file)} is not a file of memory or skills in Talaria's home, or a link leads elsewhere.`,
    "Use a name below memories/ or skills/ that has no links in it.",
  );
