import { chmod, link, lstat, mkdir, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { Refusal } from "../../../core/host.ts";
import { followLinks, syncFolder } from "../../../lib/atomic-file.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { SwapFile } from "../../../lib/swap-file.ts";
import { keepAside, partName, stageName, sweepLeftOvers } from "./left-overs.ts";
import { takeLock } from "./lock-file.ts";
import { refused } from "./refused.ts";

export type Edit = {
  /** Undefined: there was no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly written: boolean;
  /** What stood there before. */
  readonly backup?: string;
  /** Texts of somebody else that a killed run had in its hands. */
  readonly saved: readonly string[];
};

/** What the file is to be; asked again when somebody saved it meanwhile. May throw: then nothing happens. */
export type Change = (before: string | undefined) => string | undefined;

export type Tools = { readonly clock: Clock; readonly swap: SwapFile };

const tries = 50;
/** Editors that write into the file itself have it half written for a moment. */
const settleMs = 25;

/** What an edit would do. Writes nothing. */
export async function lookAtFile(path: string, change: Change, { clock }: Tools): Promise<Edit> {
  const seen = await settled(await followLinks(path), clock);
  return { before: seen?.text, after: change(seen?.text), written: false, saved: [] };
}

/**
 * Replaces a file that other programs and people write, too. A save of theirs is never lost: if one came in between, it
 * is put back and `change` is asked again. A reader, or a crash at any moment, finds the old text or the new one. Mode,
 * owner and a symbolic link stay; what was there is kept as `.talaria-backup`.
 */
export async function editFile(path: string, change: Change, tools: Tools): Promise<Edit> {
  const first = await lookAtFile(path, change, tools);
  if (first.after === first.before) return first;
  const target = await followLinks(path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await using lock = new AsyncDisposableStack();
  lock.use(await takeLock(`${target}.talaria-lock`, tools.clock));
  const saved = [...(await sweepLeftOvers(target))];
  for (let count = 0; count < tries; count++) {
    const seen = await settled(target, tools.clock);
    const [before, after] = [seen?.text, change(seen?.text)];
    if (after === before || after === undefined) return { before, after, written: false, saved };
    const done = await replace(target, seen, after, tools);
    if (done.state === "written") return { before, after, written: true, saved, ...done.kept };
    saved.push(...done.saved);
  }
  throw new Refusal("busy", `${target} changes all the time. Nothing was changed.`, "Try again in a moment.");
}

type Seen = {
  readonly text: string;
  readonly bytes: Buffer;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly changedAt: number;
};

async function settled(target: string, clock: Clock): Promise<Seen | undefined> {
  for (let count = 0; ; count++) {
    const seen = await look(target);
    const age = Math.abs(clock.now() - (seen?.changedAt ?? 0));
    if (age >= settleMs || count >= tries) return seen;
    await clock.sleep(settleMs, undefined, { hold: true });
  }
}

async function look(target: string): Promise<Seen | undefined> {
  try {
    const found = await stat(target);
    if (!found.isFile()) throw new Error("it is not a file");
    const bytes = await readFile(target);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const { mode, uid, gid, mtimeMs } = found;
    return { text, bytes, mode: mode & 0o7777, uid, gid, changedAt: mtimeMs };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const why = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it has bytes that are not UTF-8" : message;
    throw refused(
      `${target} cannot be read: ${why}.`,
      "Correct that, or CODEX_HOME, and run this again.",
      error,
    );
  }
}

type Replaced =
  | { readonly state: "written"; readonly kept: Pick<Edit, "backup"> }
  | { readonly state: "changed"; readonly saved: readonly string[] };

const changed = (...saved: readonly string[]): Replaced => ({ state: "changed", saved });

async function replace(
  target: string,
  seen: Seen | undefined,
  after: string,
  { swap, clock }: Tools,
): Promise<Replaced> {
  const stage = stageName(target, seen?.text ?? "", after);
  await writeStage(target, stage, after, seen);
  if (seen === undefined) return create(target, stage);
  const result = await swap(stage, target, seen.bytes).catch(async (error: unknown) => {
    await dropOurs(target, stage, after);
    throw error;
  });
  if (result === "both") return changed(await keepAside(target, stage));
  if (result === "changed") return changed(...(await dropOurs(target, stage, after)));
  if (await staysAs(stage, seen.bytes, clock)) {
    const backup = `${target}.talaria-backup`;
    await chmod(stage, 0o600).catch(() => {}); // it may be somebody else's
    await rename(stage, backup);
    await syncFolder(dirname(target));
    return { state: "written", kept: { backup } };
  }
  // An editor that had the old file open has written into it: that one comes back.
  const back = await swap(stage, target, Buffer.from(after));
  return changed(...(await dropOurs(target, stage, back === "done" ? after : "")));
}

async function writeStage(
  target: string,
  stage: string,
  text: string,
  seen: Seen | undefined,
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
    await link(stage, target);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return changed();
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code)) throw error;
    if ((await lstat(target).catch(() => undefined)) !== undefined) return changed();
    await rename(stage, target);
  } finally {
    await unlink(stage).catch(() => {}); // renamed
  }
  await syncFolder(dirname(target));
  return { state: "written", kept: {} };
}

async function staysAs(path: string, bytes: Buffer, clock: Clock): Promise<boolean> {
  if (!bytes.equals(await readFile(path))) return false;
  await clock.sleep(settleMs, undefined, { hold: true });
  return bytes.equals(await readFile(path));
}

/** Removes a file that holds our text. What holds another one is somebody's, and gets a name that people see. */
async function dropOurs(target: string, stage: string, ours: string): Promise<readonly string[]> {
  if ((await readFile(stage, "utf8")) !== ours) return [await keepAside(target, stage)];
  await unlink(stage);
  return [];
}
