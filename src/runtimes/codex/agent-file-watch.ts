import { opendir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { agentFiles, instructsAgents } from "../../core/agent-files.ts";
import type { TurnEvent } from "../../core/events.ts";
import { isInside } from "../../lib/sandbox-paths.ts";
import { fieldsOf, listOf, textIn } from "./wire/fields.ts";

/** What a turn does to the files that instruct agents. Codex asks nobody about those in the working folder. */
export type AgentFileWatch = {
  /** Codex tells what a patch changes, wherever that is. */
  heard(event: TurnEvent): void;
  /** Those that were made, changed or removed since; as seen from the working folder. */
  changed(): Promise<readonly string[]>;
};

/**
 * Looks into the working folder and those around it, up to the repository: there agents look for them. `except`: what
 * programs write there by themselves, like their own home.
 */
export async function watchAgentFiles(cwd: string, except: readonly string[]): Promise<AgentFileWatch> {
  const paths = (await foldersAround(cwd))
    .flatMap((folder) => agentFiles.map((name) => join(folder, name)))
    .filter((path) => !except.some((place) => isInside(path, place) || isInside(place, path)));
  const before = await look(paths);
  const patched = new Set<string>();
  return {
    heard(event) {
      for (const path of patchedBy(event)) if (instructsAgents(path)) patched.add(resolve(cwd, path));
    },
    async changed() {
      const after = await look(paths);
      const others = [...new Set([...before.keys(), ...after.keys()])].filter(
        (path) => before.get(path) !== after.get(path),
      );
      return [...new Set([...patched, ...others])].map((path) => relative(cwd, path)).toSorted();
    },
  };
}

async function foldersAround(cwd: string): Promise<readonly string[]> {
  const isRoot = await stat(join(cwd, ".git")).catch(() => undefined);
  if (isRoot !== undefined || dirname(cwd) === cwd) return [cwd];
  const above = await foldersAround(dirname(cwd));
  const top = above.at(-1) ?? cwd;
  // Outside of a repository only the folder itself counts.
  return dirname(top) === top ? [cwd] : [cwd, ...above];
}

/** For each file something that is another after a change. */
async function look(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(paths.map(stamps));
  return new Map(found.flat());
}

type Stamp = readonly [path: string, stamp: string];

async function stamps(path: string): Promise<readonly Stamp[]> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return [];
  if (!found.isDirectory()) return [[path, `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`]];
  const inside = await Promise.all((await filesIn(path)).map(stamps));
  return inside.flat();
}

/** Nobody has more rules than this, but some programs keep their own files there. */
const mostFiles = 300;

async function filesIn(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
      if (files.length >= mostFiles) break;
    }
  } catch {
    // it went while it was looked at, or cannot be read: what was found counts
  }
  return files;
}

function patchedBy(event: TurnEvent): readonly string[] {
  if (event.type !== "item" || event.item.kind !== "call") return [];
  const { tool, args, ok } = event.item;
  if (tool !== "apply_patch" || !ok) return [];
  return listOf(fieldsOf(args)["changes"])
    .map(fieldsOf)
    .flatMap((change) => [textIn(change, "path"), textIn(change, "move_path")])
    .filter((path) => path !== undefined);
}

export const changedWords = (files: readonly string[]): string =>
  files.length === 1
    ? `This turn changed ${files[0]}, which instructs agents. Look at it before the next turn works by it.`
    : `This turn changed files that instruct agents: ${files.join(", ")}. Look at them before the next turn works by them.`;
