import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateDir, syncFolder } from "../../lib/files/atomic-file.ts";
import type { Clock } from "../../lib/clock.ts";

/** A file that a tool made, or why there is none, as a sentence for the model. */
export type Saved<Made> =
  | { readonly path: string; readonly bytes: number; readonly made: Made }
  | { readonly why: string };

export type MediaName = {
  readonly kind: "picture" | "speech";
  /** Tells two files of one second apart. */
  readonly content: string | Uint8Array;
  /** With its dot. */
  readonly ending: string;
};

/** Writes the file whole or not at all, for the owner alone. Rejects only with the reason of the signal. */
export async function saveMedia(
  folder: string,
  name: Omit<MediaName, "content">,
  bytes: Uint8Array,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Saved<object>> {
  return makeMedia(folder, { ...name, content: bytes }, clock, async (path) => {
    signal.throwIfAborted();
    await using file = await open(path, "wx", 0o600);
    await file.writeFile(bytes, { signal });
    return {};
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}

/** `make` writes to the path that it is given. The file gets its name when that worked, and is gone when it did not. */
export async function makeMedia<Made extends object>(
  folder: string,
  name: MediaName,
  clock: Clock,
  make: (path: string) => Promise<Made | { readonly why: string }>,
): Promise<Saved<Made>> {
  const unfinished = join(folder, `.${randomUUID()}.part`);
  try {
    await ensurePrivateDir(folder);
    const made = await make(unfinished);
    if ("why" in made) return made;
    const path = join(folder, nameOf(name, clock));
    return { path, bytes: await finish(unfinished, path, folder), made };
  } catch (error) {
    const why = systemReason(error);
    if (why === undefined) throw error;
    return { why: `The file could not be written to ${folder}: ${why}, then try again.` };
  } finally {
    await rm(unfinished, { force: true }).catch(() => {}); // it was renamed, or never made
  }
}

/** Whoever wrote it may have chosen another mode. */
async function finish(unfinished: string, path: string, folder: string): Promise<number> {
  await using file = await open(unfinished, "r+");
  await file.chmod(0o600);
  await file.sync();
  await rename(unfinished, path);
  await syncFolder(folder);
  return (await file.stat()).size;
}

function nameOf({ kind, content, ending }: MediaName, clock: Clock): string {
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
  return `${kind}-${time}-${hash}${ending}`;
}

/** `undefined`: it was not the system that said no. */
function systemReason(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (reasons[code] !== undefined) return reasons[code];
  return /^E[A-Z]+$/.test(code) ? `the system says ${code}. Look at that folder` : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full. Free some space",
  EDQUOT: "this user has used up the space that the system allows. Free some space",
  EACCES: "this user has no permission to write there. Give it back to its owner",
  EPERM: "this user has no permission to write there. Give it back to its owner",
  EROFS: "the disk is read-only. Make it writable",
  ENOTDIR: "a part of the path is not a folder. Move that file away",
  EEXIST: "there is a file in its place. Move that file away",
};
