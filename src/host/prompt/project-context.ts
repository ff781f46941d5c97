import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cutMiddle } from "../../tools/cut-middle.ts";

/** More than this of a project's own instructions would crowd out the conversation. */
const maxChars = 16_000;

/** Files in which projects tell helpers how to work in them. The first that is found counts, and only that one. */
const names = ["AGENTS.md", "CLAUDE.md", ".cursorrules"] as const;

export type Project = {
  /** The folder with `.git`, if the working folder is in a repository. */
  readonly root?: string;
  /** What it asks of helpers, with the name of the file; empty when it says nothing. */
  readonly asks: string;
};

/** What is known of the project around a folder. Outside of a repository only the folder itself is looked at. */
export async function projectAt(cwd: string): Promise<Project> {
  const root = repositoryOf(cwd);
  const folders = root === undefined ? [cwd] : upTo(root, cwd);
  for (const name of names) {
    for (const folder of folders) {
      const text = await textOf(join(folder, name));
      if (text === "") continue;
      const asks = `${name}:\n\n${cutMiddle(text, maxChars)}`;
      return root === undefined ? { asks } : { root, asks };
    }
  }
  return root === undefined ? { asks: "" } : { root, asks: "" };
}

/** The folder that stands for the project in which a folder is. */
export const projectOf = async (cwd: string): Promise<string> => repositoryOf(cwd) ?? cwd;

function repositoryOf(folder: string): string | undefined {
  if (isRepository(join(folder, ".git"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : repositoryOf(parent);
}

/**
 * A folder with a HEAD, or a file that leads to one. Like git itself we do not trust somebody else's: above a shared
 * folder anybody could put one, and words for the model beside it. Every turn asks this of each folder up to the root, and a
 * promise takes longer than the look.
 */
function isRepository(git: string): boolean {
  try {
    const found = statSync(git, { throwIfNoEntry: false });
    if (found === undefined || found.uid !== (process.getuid?.() ?? found.uid)) return false;
    return found.isFile() || statSync(join(git, "HEAD")).isFile();
  } catch {
    return false;
  }
}

/** The nearest first. */
function upTo(root: string, folder: string): readonly string[] {
  return folder === root || dirname(folder) === folder ? [folder] : [folder, ...upTo(root, dirname(folder))];
}

/** Empty when there is no such file, or it cannot be read. */
export async function textOf(file: string): Promise<string> {
  // Mostly it is not there, and to hear that as an exception takes longer than to look.
  if (!existsSync(file)) return "";
  return readFile(file, "utf8").then(
    (text) => text.trim(),
    () => "",
  );
}
