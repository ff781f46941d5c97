import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { followLinks } from "../files/atomic-file.ts";
import { GuardedFileError } from "./guarded-file-error.ts";
import { sweepLeftOvers } from "./left-overs.ts";
import { takeLock } from "./lock-file.ts";
import { type Replaced, type FileTools, replace } from "./replacement.ts";
import { type SeenFile, readSettled } from "./seen-file.ts";

export type { FileTools } from "./replacement.ts";

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

export type GuardOptions = {
  /** Keep what was there as `.talaria-backup`; so it is if nothing is said. */
  readonly backup?: boolean;
};

/** A file that nobody else who asks for it can write now. Saves of others are seen before anything is replaced. */
export type HeldFile = {
  /** Texts of somebody else that a killed run had in its hands. */
  readonly saved: readonly string[];
  look(): Promise<SeenFile | undefined>;
  /** Puts `after` where `seen` was, if it still is; `undefined` is no file. */
  replace(seen: SeenFile | undefined, after: string | undefined): Promise<Replaced>;
};

export const mostTries = 50;

/** What an edit would do. Writes nothing. */
export async function lookAtFile(path: string, change: Change, { clock }: FileTools): Promise<Edit> {
  const seen = await readSettled(await followLinks(path), clock);
  return { before: seen?.text, after: change(seen?.text), written: false, saved: [] };
}

/**
 * Replaces or removes a file that other programs and people write, too. A save of theirs is never lost: if one came in
 * between, it is put back and `change` is asked again. A reader, or a crash at any moment, finds the old text or the new
 * one. Mode, owner and a symbolic link stay; what was there is kept as `.talaria-backup`.
 */
export async function editFile(
  path: string,
  change: Change,
  tools: FileTools,
  options: GuardOptions = {},
): Promise<Edit> {
  const first = await lookAtFile(path, change, tools);
  if (first.after === first.before) return first;
  const target = await followLinks(path);
  await using lock = new AsyncDisposableStack();
  lock.use(await takeLock(`${target}.talaria-lock`, tools.clock));
  const file = await heldFile(path, tools, options);
  const saved = [...file.saved];
  for (let count = 0; count < mostTries; count++) {
    const seen = await file.look();
    const [before, after] = [seen?.text, change(seen?.text)];
    if (after === before) return { before, after, written: false, saved };
    const done = await file.replace(seen, after);
    if (done.state === "changed") {
      saved.push(...done.saved);
      continue;
    }
    const { backup } = done;
    return { before, after, written: true, saved, ...(backup === undefined ? {} : { backup }) };
  }
  throw new GuardedFileError(target, { kind: "restless" });
}

/** For who holds a lock that all writers of the file take. What a killed process left beside it is cleared away. */
export async function heldFile(
  path: string,
  tools: FileTools,
  options: GuardOptions = {},
): Promise<HeldFile> {
  const target = await followLinks(path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const how = { ...tools, backup: options.backup ?? true };
  return {
    saved: await sweepLeftOvers(target),
    look: () => readSettled(target, tools.clock),
    replace: (seen, after) => replace(target, seen, after, how),
  };
}
