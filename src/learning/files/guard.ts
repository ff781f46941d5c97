import { readFile, lstat, rmdir } from "node:fs/promises";
import { join, dirname } from "node:path";
import { Refusal } from "../../core/host.ts";
import type { Revision } from "../../core/learning.ts";
import type { SwapFile } from "../../lib/files/swap-file.ts";
import { GuardedFileError } from "../../lib/guarded-file/guarded-file-error.ts";
import { type HeldFile, heldFile, mostTries } from "../../lib/guarded-file/guarded-file.ts";
import { takeLock } from "../../lib/guarded-file/lock-file.ts";
import { type RevisionDeps, recordHandEdit, settleLeftovers, nextTime } from "./bookkeeping.ts";
import { asRefusal, readOnly } from "./write-refusals.ts";

export type GuardDeps = RevisionDeps & {
  /** Talaria's home. */
  readonly home: string;
  readonly swap: SwapFile;
};

/** What the file is to be, from what it is; asked again when somebody saved it meanwhile. */
export type NextText = (now: string | undefined) => string | undefined;

/** How a change is recorded. */
export type ChangeRecord = {
  /** Stores the row that says what is about to happen; it is in state `writing` when this resolves. */
  readonly begin: (before: string | undefined, after: string | undefined) => Promise<Revision>;
  /** The state of the row if the file is not written. */
  readonly ifNotWritten: "failed" | "proposed";
};

/** As it is on disk; `undefined`: there is none. */
export async function readLearned(
  { home }: Pick<GuardDeps, "home">,
  file: string,
): Promise<string | undefined> {
  const { path } = await learnedPath(home, file);
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw asRefusal(
      file,
      new GuardedFileError(path, { kind: "unreadable", why: whyUnreadable(error) }, error),
    );
  });
}

const whyUnreadable = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "EISDIR" ? "it is not a file" : message;

/**
 * Writes a file and its row so that they agree after a crash at any moment: the row says first what is about to happen,
 * then the file is replaced, then the row says that it has.
 */
export async function writeLearned(
  deps: GuardDeps,
  file: string,
  next: NextText,
  entered: ChangeRecord,
): Promise<Revision> {
  next(await readLearned(deps, file)); // so that a refusal leaves no row
  return underLock(deps, file, async (held) => {
    for (let count = 0; count < mostTries; count++) {
      const revision = await attempt(deps, file, held, next, entered);
      if (revision !== undefined) return revision;
    }
    throw new GuardedFileError(file, { kind: "restless" });
  });
}

/** Settles what crashes left. What cannot be settled now is logged, and tried again with the next change of the file. */
export async function reconcileLearned(deps: GuardDeps): Promise<void> {
  const open = await deps.revisions.list({ states: ["writing"], limit: 10_000 });
  for (const file of new Set(open.map((row) => row.file))) {
    await underLock(deps, file, async () => {}).catch((error: unknown) =>
      deps.log(`${file}: ${asRefusal(file, error).message}`),
    );
  }
}

/** One lock for the home: whoever has it and finds a row that is still `writing` knows that its writer is gone. */
async function underLock<T>(deps: GuardDeps, file: string, job: (held: HeldFile) => Promise<T>): Promise<T> {
  try {
    await using lock = new AsyncDisposableStack();
    lock.use(await takeLock(join(deps.home, "run", "learned.lock"), deps.clock));
    const location = await learnedPath(deps.home, file);
    lock.defer(() => pruneFolders(location));
    const held = await heldFile(location.path, deps, { backup: false });
    logSavedCopies(deps, file, held.saved);
    await settleLeftovers(deps, file, held);
    return await job(held);
  } catch (error) {
    throw asRefusal(file, error);
  }
}

/** `undefined`: somebody saved the file in the same moment, and nothing of ours happened. */
async function attempt(
  deps: GuardDeps,
  file: string,
  held: HeldFile,
  next: NextText,
  { begin, ifNotWritten: otherwise }: ChangeRecord,
): Promise<Revision | undefined> {
  const { revisions, clock, log } = deps;
  const seen = await held.look();
  // A rename would replace it all the same, but a person who made it read-only wants it left alone.
  if (seen !== undefined && (seen.mode & 0o222) === 0) throw readOnly(file);
  const [before, after] = [seen?.text, next(seen?.text)];
  const location = await learnedPath(deps.home, file);
  await recordHandEdit(deps, file, location.kind, before);
  const row = await begin(before, after);
  const markNotDone = (why: string): Promise<boolean> =>
    revisions.settle(row.id, "writing", { state: otherwise, at: clock.now(), why });
  if (before !== after) {
    const done = await held.replace(seen, after).catch(async (error: unknown) => {
      await markNotDone(asRefusal(file, error).message).catch(() => {}); // the next writer settles it
      throw error;
    });
    if (done.state === "changed") {
      logSavedCopies(deps, file, done.saved);
      await markNotDone("Somebody saved the file in the same moment.");
      return undefined;
    }
    if (after === undefined) await pruneFolders(location);
  }
  const how = { state: "active", ...(before === after ? { why: "It was so already." } : {}) } as const;
  const at = await nextTime(deps, file);
  // The file is written: a row that cannot be settled now is settled by the next writer.
  await revisions
    .settle(row.id, "writing", { ...how, at })
    .catch((error: unknown) => log(`${row.id}: ${String(error)}`));
  return { ...row, ...how, decidedAt: at };
}

function logSavedCopies({ log }: GuardDeps, file: string, saved: readonly string[]): void {
  for (const path of saved) log(`a text that was saved while ${file} was written is in ${path}`);
}

/** Where a file of memory or of a skill is. */
type LearnedPath = { readonly path: string; readonly kind: Revision["kind"]; readonly top: string };

const kinds: Readonly<Record<string, Revision["kind"]>> = { memories: "memory", skills: "skill" };

/** Rejects for a name that leads anywhere else, also by a link in a folder of skills. */
async function learnedPath(home: string, file: string): Promise<LearnedPath> {
  const [folder = "", ...names] = file.split("/");
  const kind = kinds[folder];
  if (kind === undefined || names.length === 0 || !names.every(isPlainName)) throw notLearnedFile(file);
  const top = join(home, folder);
  // The two files of memory have fixed names, and people keep them where they like; skills come from anywhere.
  if (kind === "skill") await refuseLinks(top, names, file);
  return { path: join(top, ...names), kind, top };
}

/** Removes folders that are empty now. */
async function pruneFolders({ path, top }: Pick<LearnedPath, "path" | "top">): Promise<void> {
  for (let folder = dirname(path); folder.startsWith(`${top}/`); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

// oxlint-disable-next-line no-control-regex
const isPlainName = (name: string): boolean => /^(?!\.{1,2}$)[^\u0000-\u001F\\/:]{1,200}$/.test(name);

async function refuseLinks(top: string, names: readonly string[], file: string): Promise<void> {
  for (let count = 1; count <= names.length; count++) {
    const found = await lstat(join(top, ...names.slice(0, count))).catch(() => undefined);
    if (found === undefined) return;
    if (found.isSymbolicLink()) throw notLearnedFile(file);
  }
}

const notLearnedFile = (file: string): Refusal =>
  new Refusal(
    "refused",
    `${JSON.stringify(file)} is not a file of memory or skills in Talaria's home, or a link leads elsewhere.`,
    "Use a name below memories/ or skills/ that has no links in it.",
  );
