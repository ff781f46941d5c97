import { opendir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { typed } from "./typing.ts";
import { isFolder } from "../../../lib/files/is-folder.ts";

const mostShown = 20;
const mostLookedAt = 10_000;

/** What a half-written path may become, as it is written: `~/` and `../` stay. A folder ends with a slash. */
export async function pathsLike(path: string, cwd: string, signal: AbortSignal): Promise<readonly string[]> {
  const cut = path.lastIndexOf("/") + 1;
  const [folder, start] = [path.slice(0, cut), path.slice(cut).toLowerCase()];
  const real = resolve(cwd, atHome(folder));
  const names: string[] = [];
  let left = mostLookedAt;
  for await (const { name } of await opendir(real)) {
    if (signal.aborted || left-- === 0) break;
    if (!name.toLowerCase().startsWith(start) || (name.startsWith(".") && !start.startsWith("."))) continue;
    if (canBeWritten(folder + name)) names.push(name);
  }
  const shown = names.toSorted().slice(0, mostShown);
  return await Promise.all(
    shown.map(async (name) => `${folder}${name}${(await isFolder(join(real, name))) ? "/" : ""}`),
  );
}

/** On one line, without steering the terminal, and with quotes around it if it has spaces. */
export const canBeWritten = (path: string): boolean =>
  typed(path) === path && !path.includes("\n") && !(path.includes('"') && /\s/.test(path));

export const atHome = (path: string): string =>
  path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
