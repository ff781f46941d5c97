import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Revision } from "../../core/learning.ts";
import { GuardedFileError } from "../../lib/guarded-file/guarded-file-error.ts";
import { type HeldFile, heldFile, mostTries } from "../../lib/guarded-file/guarded-file.ts";
import { takeLock } from "../../lib/guarded-file/lock-file.ts";
import type { SwapFile } from "../../lib/swap-file.ts";
import { type Books, keepHandEdit, settleLeft, stamp } from "./bookkeeping.ts";
import { placeOf, pruneFolders } from "./place.ts";
import { asRefusal, readOnly } from "./troubles.ts";

export type GuardDeps = Books & {
  /** Talaria's home. */
  readonly home: string;
  readonly swap: SwapFile;
};

/** What the file is to be, from what it is; asked again when somebody saved it meanwhile. */
export type Next = (now: string | undefined) => string | undefined;

/** How a change is written down. */
export type Entered = {
  /** The row that says what is about to happen. It is `writing` when this resolves. */
  readonly begin: (before: string | undefined, after: string | undefined) => Promise<Revision>;
  /** What the row becomes when it does not happen. */
  readonly otherwise: "failed" | "proposed";
};

/** As it is on disk; `undefined`: there is none. */
export async function readLearned(
  { home }: Pick<GuardDeps, "home">,
  file: string,
): Promise<string | undefined> {
  const { path } = await placeOf(home, file);
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw asRefusal(file, new GuardedFileError(path, { kind: "unreadable", why: whyNot(error) }, error));
  });
}

const whyNot = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "EISDIR" ? "it is not a file" : message;

/**
 * Writes a file and its row so that they agree after a crash at any moment: the row says first what is about to happen,
 * then the file is replaced, then the row says that it has.
 */
export async function writeLearned(
  deps: GuardDeps,
  file: string,
  next: Next,
  entered: Entered,
): Promise<Revision> {
  next(await readLearned(deps, file)); // a refusal leaves no trace
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
    const place = await placeOf(deps.home, file);
    lock.defer(() => pruneFolders(place));
    const held = await heldFile(place.path, deps, { backup: false });
    tellSaved(deps, file, held.saved);
    await settleLeft(deps, file, held);
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
  next: Next,
  { begin, otherwise }: Entered,
): Promise<Revision | undefined> {
  const { revisions, clock, log } = deps;
  const seen = await held.look();
  // It could be replaced all the same. Whoever makes it so wants it left alone.
  if (seen !== undefined && (seen.mode & 0o222) === 0) throw readOnly(file);
  const [before, after] = [seen?.text, next(seen?.text)];
  const place = await placeOf(deps.home, file);
  await keepHandEdit(deps, file, place.kind, before);
  const row = await begin(before, after);
  const not = (why: string): Promise<boolean> =>
    revisions.settle(row.id, "writing", { state: otherwise, at: clock.now(), why });
  if (before !== after) {
    const done = await held.replace(seen, after).catch(async (error: unknown) => {
      await not(asRefusal(file, error).message).catch(() => {}); // who comes next settles it
      throw error;
    });
    if (done.state === "changed") {
      tellSaved(deps, file, done.saved);
      await not("Somebody saved the file in the same moment.");
      return undefined;
    }
    if (after === undefined) await pruneFolders(place);
  }
  const how = { state: "active", ...(before === after ? { why: "It was so already." } : {}) } as const;
  const at = await stamp(deps, file);
  // The file is written: a row that cannot be settled now is settled by who comes next.
  await revisions
    .settle(row.id, "writing", { ...how, at })
    .catch((error: unknown) => log(`${row.id}: ${String(error)}`));
  return { ...row, ...how, decidedAt: at };
}

function tellSaved({ log }: GuardDeps, file: string, saved: readonly string[]): void {
  for (const path of saved) log(`a text that was saved while ${file} was written is in ${path}`);
}
