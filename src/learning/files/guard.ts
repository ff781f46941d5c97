import { readFile, lstat, rmdir } from "node:fs/promises";
import { join, dirname } from "node:path";
import { Refusal } from "../../core/host.ts";
import type { Revision } from "../../core/learning.ts";
import type { SwapFile } from "../../lib/files/swap-file.ts";
import { GuardedFileError } from "../../lib/guarded-file/guarded-file-error.ts";
import { type HeldFile, heldFile, mostTries } from "../../lib/guarded-file/guarded-file.ts";
import { takeLock } from "../../lib/guarded-file/lock-file.ts";
import { type Books, keepHandEdit, settleLeft, stamp } from "./bookkeeping.ts";
import { asRefusal, readOnly } from "./write-refusals.ts";

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
  const { path } = await learnedPath(home, file);
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
    const place = await learnedPath(deps.home, file);
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
  const place = await learnedPath(deps.home, file);
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

/** Where a file of memory or of a skill is. */
type LearnedPath = { readonly path: string; readonly kind: Revision["kind"]; readonly top: string };

const kinds: Readonly<Record<string, Revision["kind"]>> = { memories: "memory", skills: "skill" };

/** Rejects for a name that leads anywhere else, also by a link in a folder of skills. */
async function learnedPath(home: string, file: string): Promise<LearnedPath> {
  const [folder = "", ...names] = file.split("/");
  const kind = kinds[folder];
  if (kind === undefined || names.length === 0 || !names.every(isPlainName)) throw elsewhere(file);
  const top = join(home, folder);
  // The two files of memory have fixed names, and people keep them where they like; skills come from anywhere.
  if (kind === "skill") await refuseLinks(top, names, file);
  return { path: join(top, ...names), kind, top };
}

/** Takes folders away in which nothing is left. */
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
    if (found.isSymbolicLink()) throw elsewhere(file);
  }
}

const elsewhere = (file: string): Refusal =>
  new Refusal(
    "refused",
    `${JSON.stringify(file)} is not a file of memory or skills in Talaria's home, or a link leads elsewhere.`,
    "Use a name below memories/ or skills/ that has no links in it.",
  );
