import { type BigIntStats, opendirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { agentFiles, instructsAgents } from "../../core/agent-files.ts";
import type { ItemEvent, TurnEvent } from "../../core/events.ts";
import { newId } from "../../core/ids.ts";
import { isInside } from "../../lib/sandbox/paths.ts";
import { note } from "./items/note-mapping.ts";
import type { CodexPlan } from "./plan.ts";
import type { EventSink } from "./pushed-events.ts";
import { fieldsOf, listOf, textIn } from "./wire/fields.ts";

/** What a turn does to the files that instruct agents. Codex asks nobody about those in the working folder. */
export type AgentFileWatch = {
  /** The same sink. Codex tells in it what a patch changes, wherever that is. */
  hearing(out: EventSink): EventSink;
  /** Names those that were made, changed or removed since, as seen from the working folder. */
  changed(nowMs: number): Promise<ItemEvent | undefined>;
};

/** Looks into the working folder and those around it, up to the repository: there agents look for them. */
export async function watchAgentFiles(cwd: string, plan: CodexPlan): Promise<AgentFileWatch> {
  const paths = pathsIn(foldersAround(cwd), writtenByPrograms(plan));
  const before = look(paths);
  const patched = new Set<string>();
  return {
    hearing: (out) => ({
      push(event) {
        for (const path of patchedBy(event)) if (instructsAgents(path)) patched.add(resolve(cwd, path));
        out.push(event);
      },
    }),
    async changed(nowMs) {
      const after = look(paths);
      const others = [...new Set([...before.keys(), ...after.keys()])].filter(
        (path) => before.get(path) !== after.get(path),
      );
      const files = [...new Set([...patched, ...others])].map((path) => relative(cwd, path)).toSorted();
      if (files.length === 0) return undefined;
      return { type: "item", item: note(newId("itm", nowMs), changedWords(files)) };
    },
  };
}

/** Codex's home and ours; in the person's own, what its programs keep is none of a project's. */
function writtenByPrograms({ launch, hidden = [] }: CodexPlan): readonly string[] {
  const { HOME: home } = launch.env;
  const programs = agentFiles.filter((name) => !name.endsWith(".md"));
  const folders = home === undefined ? [] : programs.map((name) => join(home, name));
  return [launch.home, ...hidden, ...folders];
}

/** Of the folder that was looked at last: to make them takes longer than to look. */
let known: { readonly key: string; readonly paths: readonly string[] } | undefined;

function pathsIn(folders: readonly string[], except: readonly string[]): readonly string[] {
  const key = [...folders, "", ...except].join("\0");
  if (known?.key !== key) {
    const paths = folders
      .flatMap((folder) => agentFiles.map((name) => join(folder, name)))
      .filter((path) => !except.some((place) => isInside(path, place) || isInside(place, path)));
    known = { key, paths };
  }
  return known.paths;
}

function foldersAround(cwd: string): readonly string[] {
  const isRoot = statOf(join(cwd, ".git")) !== undefined;
  if (isRoot || dirname(cwd) === cwd) return [cwd];
  const above = foldersAround(dirname(cwd));
  const top = above.at(-1) ?? cwd;
  // Outside of a repository only the folder itself counts.
  return dirname(top) === top ? [cwd] : [cwd, ...above];
}

/** For each file something that is another after a change. Hardly ever one of them is there, and to hear so from promises takes fifty times as long. */
const look = (paths: readonly string[]): ReadonlyMap<string, string> => new Map(paths.flatMap(stamps));

type Stamp = readonly [path: string, stamp: string];

function stamps(path: string): readonly Stamp[] {
  const found = statOf(path);
  if (found === undefined) return [];
  if (found.isDirectory()) return filesIn(path).flatMap(stamps);
  return [[path, `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`]];
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // it may not be looked at
  }
}

/** Nobody has more rules than this, but some programs keep their own files there. */
const mostFiles = 300;

function filesIn(folder: string): readonly string[] {
  const files: string[] = [];
  try {
    using entries = opendirSync(folder, { recursive: true });
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
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

const changedWords = (files: readonly string[]): string =>
  files.length === 1
    ? `This turn changed ${files[0]}, which instructs agents. Look at it before the next turn works by it.`
    : `This turn changed files that instruct agents: ${files.join(", ")}. Look at them before the next turn works by them.`;
