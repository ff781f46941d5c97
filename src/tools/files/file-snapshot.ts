import { constants } from "node:fs";
import { type FileHandle, access, open } from "node:fs/promises";
import { pathOf } from "./open-inside.ts";

/** Which version of a file was looked at, so that a replacement can tell whether it is still the same. */
export type FileVersion = {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  /** Every write changes it, and nobody can set it back. */
  readonly ctimeNs: bigint;
  readonly mode: bigint;
  readonly uid: bigint;
  readonly gid: bigint;
};

export type FileSnapshot =
  | { readonly kind: "none" }
  /** `text` is missing when it is not UTF-8, or larger than `maxTextBytes`. */
  | { readonly kind: "file"; readonly version: FileVersion; readonly text?: string }
  | { readonly kind: "refused"; readonly why: string };

export const maxTextBytes = 2 * 1024 * 1024;

/** Looks at what is to be replaced. The path has no symbolic links in it; one that appears there is refused. */
export async function snapshotFile(path: string, shown: string): Promise<FileSnapshot> {
  try {
    // A pipe would block the open.
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const version = await handle.stat({ bigint: true });
    if (version.isDirectory()) return refused(`${shown} is a folder, not a file.`);
    if (!version.isFile()) return refused(`${shown} is a pipe, a socket or a device, not a file.`);
    if ((await pathOf(handle, path)) !== path) return refused(`${shown} was moved just now; try again.`);
    await access(path, constants.W_OK);
    const text = version.size > maxTextBytes ? undefined : await textOf(handle);
    return { kind: "file", version, ...(text === undefined ? {} : { text }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "none" };
    return refused(`${shown} cannot be written: ${whyUnwritable(error)}.`);
  }
}

/** Whether the path still holds this version; `undefined`: whether still nothing is there. */
export async function isUnchanged(path: string, version: FileVersion | undefined): Promise<boolean> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const now = await handle.stat({ bigint: true });
    return version !== undefined && same.every((field) => now[field] === version[field]);
  } catch (error) {
    return version === undefined && (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

const same = ["dev", "ino", "size", "ctimeNs"] as const;

async function textOf(handle: FileHandle): Promise<string | undefined> {
  const bytes = await handle.readFile();
  if (bytes.length > maxTextBytes || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const refused = (why: string): FileSnapshot => ({ kind: "refused", why });

/** In words, for a sentence. */
export const whyUnwritable = (error: unknown): string =>
  reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? String(error);

const reasons: Readonly<Record<string, string>> = {
  EACCES: "it is write-protected, or this user has no right to it",
  EPERM: "it is write-protected, or this user has no right to it",
  ENOSPC: "the disk is full",
  EDQUOT: "this user's share of the disk is used up",
  EROFS: "it lies on a read-only file system",
  ELOOP: "a symbolic link took its place just now",
  ENOTDIR: "a part of the path is not a folder",
  ENAMETOOLONG: "the path or a name in it is too long",
  ENXIO: "it is a pipe, a socket or a device, not a file",
};
