import { chmod, link, lstat, open, readFile, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../files/atomic-file.ts";
import type { Clock } from "../clock.ts";
import type { SwapFile } from "../files/swap-file.ts";
import { preserve, partName, stageName } from "./left-overs.ts";
import { type SeenFile, staysUnchanged } from "./seen-file.ts";

export type FileTools = { readonly clock: Clock; readonly swap: SwapFile };

/** `changed`: somebody saved it meanwhile, and their save stands. `saved`: where texts of theirs are besides. */
export type Replaced =
  | { readonly state: "written"; readonly backup?: string }
  | { readonly state: "changed"; readonly saved: readonly string[] };

const changed = (...saved: readonly string[]): Replaced => ({ state: "changed", saved });

/** Puts `after` where `seen` was, only if it still is; `undefined` on either side is no file. For who holds the lock. */
export async function replace(
  target: string,
  seen: SeenFile | undefined,
  after: string | undefined,
  { swap, clock, backup }: FileTools & { readonly backup: boolean },
): Promise<Replaced> {
  if (after === undefined)
    return seen === undefined ? { state: "written" } : remove(target, seen, clock, backup);
  const stage = stageName(target, seen?.text ?? "", after);
  await writeStage(target, stage, after, seen);
  if (seen === undefined) return create(target, stage);
  const result = await swap(stage, target, seen.bytes).catch(async (error: unknown) => {
    await dropOurs(target, stage, after);
    throw error;
  });
  if (result === "both") return changed(await preserve(target, stage));
  if (result === "changed") return changed(...(await dropOurs(target, stage, after)));
  if (await staysUnchanged(stage, seen.bytes, clock)) return keepBackup(target, stage, backup);
  // An editor that had the old file open has written into it: that one comes back.
  const back = await swap(stage, target, Buffer.from(after));
  return changed(...(await dropOurs(target, stage, back === "done" ? after : "")));
}

async function writeStage(
  target: string,
  stage: string,
  text: string,
  seen: SeenFile | undefined,
): Promise<void> {
  const part = partName(target);
  try {
    await using file = await open(part, "wx", 0o600);
    await file.writeFile(text);
    if (seen !== undefined) {
      // Only the system's administrator may give a file away; anybody else's file becomes ours.
      await file.chown(seen.uid, seen.gid).catch(() => {});
      await file.chmod(seen.mode);
    }
    await file.sync();
    await rename(part, stage);
  } catch (error) {
    await unlink(part).catch(() => {}); // it may not exist, and the first error matters more
    throw error;
  }
}

/** Only where there is none: one that somebody made meanwhile is not replaced. */
async function create(target: string, stage: string): Promise<Replaced> {
  try {
    await linkOrRename(stage, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return changed();
    throw error;
  } finally {
    await unlink(stage).catch(() => {}); // renamed
  }
  await syncFolder(dirname(target));
  return { state: "written" };
}

/** Fails with EEXIST when the new name is taken. Not every file system has second names. */
async function linkOrRename(path: string, name: string): Promise<void> {
  try {
    await link(path, name);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code)) throw error;
    const taken = await lstat(name).catch(() => undefined);
    if (taken !== undefined)
      throw Object.assign(new Error(`${name} exists`, { cause: error }), { code: "EEXIST" });
    await rename(path, name);
  }
}

/** Moved aside first, so that what is removed is what was seen. */
async function remove(target: string, seen: SeenFile, clock: Clock, backup: boolean): Promise<Replaced> {
  const moved = stageName(target, seen.text, "");
  try {
    await rename(target, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return changed();
    throw error;
  }
  if (await staysUnchanged(moved, seen.bytes, clock)) return keepBackup(target, moved, backup);
  try {
    await linkOrRename(moved, target);
  } catch (error) {
    // Somebody has made a new one: theirs are both kept.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return changed(await preserve(target, moved));
    throw error;
  }
  await unlink(moved).catch(() => {}); // renamed
  return changed();
}

/** What was replaced is either kept where people find it, or goes. */
async function keepBackup(target: string, old: string, backup: boolean): Promise<Replaced> {
  if (!backup) {
    await unlink(old);
    await syncFolder(dirname(target));
    return { state: "written" };
  }
  const kept = `${target}.talaria-backup`;
  await chmod(old, 0o600).catch(() => {}); // it may be somebody else's
  await rename(old, kept);
  await syncFolder(dirname(target));
  return { state: "written", backup: kept };
}

/** Removes a file that holds our text. What holds another one is somebody's, and gets a name that people see. */
async function dropOurs(target: string, stage: string, ours: string): Promise<readonly string[]> {
  if ((await readFile(stage, "utf8")) !== ours) return [await preserve(target, stage)];
  await unlink(stage);
  return [];
}
