import { readFile, stat } from "node:fs/promises";
import type { Clock } from "../clock.ts";
import { GuardedFileError } from "./guarded-file-error.ts";

/** A file as it was looked at. */
export type SeenFile = {
  readonly text: string;
  readonly bytes: Buffer;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly changedAt: number;
};

/** Editors that write into the file itself have it half written for a moment. */
const settleMs = 25;
const tries = 50;

/** Undefined: there is none. Waits while it is being saved. */
export async function readSettled(target: string, clock: Clock): Promise<SeenFile | undefined> {
  for (let count = 0; ; count++) {
    const seen = await look(target);
    const age = Math.abs(clock.now() - (seen?.changedAt ?? 0));
    if (age >= settleMs || count >= tries) return seen;
    await clock.sleep(settleMs, undefined, { hold: true });
  }
}

/** Does nobody write into it any more? */
export async function staysUnchanged(path: string, bytes: Buffer, clock: Clock): Promise<boolean> {
  if (!bytes.equals(await readFile(path))) return false;
  await clock.sleep(settleMs, undefined, { hold: true });
  return bytes.equals(await readFile(path));
}

async function look(target: string): Promise<SeenFile | undefined> {
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
    throw new GuardedFileError(target, { kind: "unreadable", why }, error);
  }
}
