import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Revision } from "../../core/learning.ts";

/** A file of memory or of a skill, by its name below the home. */
export type LearnedPath = { readonly kind: Revision["kind"]; readonly file: string };

const deepest = 8;
const most = 50_000;

/** All of them, archived skills included. Links are not followed. */
export async function learnedPaths(home: string): Promise<readonly LearnedPath[]> {
  const found: LearnedPath[] = [];
  const walk = async (kind: Revision["kind"], folder: string, depth: number): Promise<void> => {
    for (const entry of await entriesIn(join(home, folder))) {
      const file = `${folder}/${entry.name}`;
      if (entry.isDirectory() && depth < deepest) await walk(kind, file, depth + 1);
      if (entry.isFile() && found.length < most) found.push({ kind, file });
    }
  };
  await walk("memory", "memories", 1);
  await walk("skill", "skills", 1);
  return found;
}

const entriesIn = async (folder: string): Promise<readonly Dirent[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(() => [])).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
