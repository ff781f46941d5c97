import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { skillFile, skillFolders, whyNoSkillFile } from "./skill-names.ts";

const maxBytes = 1024 * 1024;

export const hashOf = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex");

/**
 * The text of a file inside a skill's folder. Neither it nor a folder on the way below `folder` may be a link. `why`: the
 * end of a sentence.
 */
export async function readSkillFile(
  folder: string,
  file: string,
): Promise<{ readonly text: string } | { readonly why: string }> {
  const forbidden = whyNoSkillFile(file) ?? (await linkOn(folder, file));
  if (forbidden !== undefined) return { why: forbidden };
  try {
    const path = join(await realpath(dirname(folder)), basename(folder), file);
    await using handle = await openPlain(path);
    // A folder on the way may have become a link since it was looked at.
    if ((await pathOf(handle, path)) !== path) return { why: "it was replaced while it was read" };
    const { size } = await handle.stat();
    if (size > maxBytes) return { why: `it has ${size} bytes, and ${maxBytes} are read at most` };
    const bytes = await handle.readFile();
    if (bytes.includes(0)) return { why: "it is not text" };
    return { text: bytes.toString("utf8") };
  } catch (error) {
    return { why: plainReason(error) };
  }
}

/** Opens what is a file itself, and not a link or a pipe. */
export async function openPlain(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw Object.assign(new Error("it is not a file"), { code: "ENOTFILE" });
}

/** Linux knows the path of what is open; elsewhere the path is followed once more. */
const pathOf = (handle: FileHandle, path: string): Promise<string> =>
  process.platform === "linux" ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(path);

/** Which part of the way to a file below a folder, the folder included, is a link. What does not exist is none. */
export async function linkOn(folder: string, file: string): Promise<string | undefined> {
  const target = join(folder, file);
  const parts: string[] = [];
  for (let path = target; path.length >= folder.length; path = dirname(path)) {
    parts.push(path);
    if (dirname(path) === path) break;
  }
  for (const path of parts.toReversed()) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSymbolicLink() === true) return `${path} is a link, and links are not followed`;
  }
  return undefined;
}

/** Files of a skill by their names inside it, SKILL.md first. Links and what has no place in a skill are left out. */
export async function skillFileNames(folder: string, most = 200): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (inner: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, inner), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= most) return;
      const name = `${inner}/${entry.name}`;
      if (entry.isDirectory() && depth < 4) await walk(name, depth + 1);
      if (entry.isFile() && whyNoSkillFile(name) === undefined) found.push(name);
    }
  };
  const main = await lstat(join(folder, skillFile)).catch(() => undefined);
  if (main?.isFile() === true) found.push(skillFile);
  for (const inner of skillFolders) {
    const isFolder = (await lstat(join(folder, inner)).catch(() => undefined))?.isDirectory() === true;
    if (isFolder) await walk(inner, 1);
  }
  return found;
}

export function plainReason(error: unknown): string {
  const { code = "" } = error as { readonly code?: string };
  const known: Readonly<Record<string, string>> = {
    ENOENT: "there is no such file",
    ENOTDIR: "there is no such file",
    ELOOP: "it is a link, and links are not followed",
    EACCES: "it may not be read",
    ENOTFILE: "it is not a file",
  };
  return known[code] ?? `it cannot be read (${code || String(error)})`;
}
