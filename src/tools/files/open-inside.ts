import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { existing, isInside } from "../../lib/sandbox/paths.ts";
import { isCredentialFile } from "./credential-file.ts";

/** `why` is a sentence for the model. */
export type Opened =
  | { readonly kind: "file"; readonly handle: FileHandle }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "refused"; readonly why: string };

/** The two steps between which a path may be swapped, replaceable so that a test can swap it there. */
export type OpenSteps = { readonly lstat: (path: string) => Promise<FileId>; readonly open: typeof open };
type FileId = { dev: bigint; ino: bigint; isFile(): boolean; isDirectory(): boolean };

const nodeSteps: OpenSteps = { lstat: (path) => lstat(path, { bigint: true }), open };

/**
 * Opens a file for reading, if it lies inside `cwd` once all symbolic links are followed, and not in one of the `guarded`
 * places. What is opened is what was checked, even if somebody swaps the path for a link meanwhile.
 */
export async function openInside(
  cwd: string,
  path: string,
  guarded: readonly string[] = [],
  steps = nodeSteps,
): Promise<Opened> {
  try {
    const root = await realpath(cwd).catch(() => undefined);
    if (root === undefined) return refused(`The working folder ${cwd} is gone or cannot be opened.`);
    const asked = resolve(cwd, path);
    // Outside paths are not even looked at: whether they exist is nobody's business.
    if (!isInside(asked, resolve(cwd)) && !isInside(asked, root)) return outside(path);
    const real = await realpath(asked);
    if (!isInside(real, root)) return outside(path);
    if (isCredentialFile(asked) || isCredentialFile(real)) return credential(path);
    if ((await existing(guarded)).some((folder) => isInside(real, folder))) return refused(guardedText(path));
    return await openChecked(path, real, steps);
  } catch (error) {
    return refused(`${path} could not be read: ${plainReason(error)}.`);
  }
}

async function openChecked(path: string, real: string, steps: OpenSteps): Promise<Opened> {
  const checked = await steps.lstat(real);
  if (checked.isDirectory()) return { kind: "folder", path: real };
  if (!checked.isFile()) return refused(`${path} is a pipe, a socket or a device, not a file.`);
  // A pipe that took the file's place would block the open; a link there makes it fail.
  const handle = await steps.open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const same = await isSame(handle, real, checked).catch(() => false);
  if (same) return { kind: "file", handle };
  await handle.close();
  return refused(`${path} was replaced while it was opened. Nothing was read; try again.`);
}

/** The inode alone is not enough: a folder above could have been a link during both looks at it. */
async function isSame(handle: FileHandle, real: string, checked: FileId): Promise<boolean> {
  const { dev, ino } = await handle.stat({ bigint: true });
  return dev === checked.dev && ino === checked.ino && (await pathOf(handle, real)) === real;
}

/** Linux knows the path of what is open; elsewhere the path is followed once more. */
export const pathOf = (handle: FileHandle, real: string): Promise<string> =>
  process.platform === "linux" ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(real);

const refused = (why: string): Opened => ({ kind: "refused", why });

const outside = (path: string): Opened =>
  refused(`${path} is outside the working folder, and only files inside it can be read.`);

/** For the model. */
export const guardedText = (path: string): string =>
  `${path} belongs to the settings and records of Talaria or codex, which are kept away from models; ask the person if you need something of it.`;

const credential = (path: string): Opened =>
  refused(
    `${path} holds credentials. Its content is kept away from models; ask the person if you need a value.`,
  );

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is not a folder",
  EACCES: "this user has no permission to read it",
  EPERM: "this user has no permission to read it",
  ELOOP: "it is a symbolic link that leads in a circle, or that took the file's place just now",
  ENAMETOOLONG: "the path is too long",
};

function plainReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return reasons[code] ?? error.message;
}
