import { createHash, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../clock.ts";
import { isAlive, selfIdentity } from "../process/process-identity.ts";
import { GuardedFileError } from "./guarded-file-error.ts";

const patienceMs = 10_000;
const pauseMs = 20;
/** Whoever makes a lock signs it at once, if not in the same step. */
const unsignedMs = 3_000;
/** A process of another machine cannot be looked at, and none holds a lock for so long. */
const foreignMs = 60_000;

/**
 * Keeps others who ask for it from a file while it is held. One that a dead process left is taken away. It keeps nobody from
 * losing anything: that is what the comparison before the replacement is for.
 */
export async function takeLock(path: string, clock: Clock): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const mine = JSON.stringify(selfIdentity());
  const end = clock.monotonic() + patienceMs;
  while (!(await create(path, mine))) {
    const holder = await textOf(path);
    const isDead = holder !== undefined && (await isStale(path, holder, clock));
    if (isDead && (await removeStale(path, holder, clock))) continue;
    if (clock.monotonic() > end) throw busy(path, holder);
    await clock.sleep(pauseMs, undefined, { hold: true });
  }
  return {
    async [Symbol.asyncDispose]() {
      // One that stays is taken away by the next who finds us gone.
      if ((await textOf(path)) === mine) await unlink(path).catch(() => {});
    },
  };
}

async function create(path: string, text: string): Promise<boolean> {
  const draft = temporaryName(path);
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // Whoever holds it may have swept our draft away.
    if (["EEXIST", "ENOENT"].includes(code)) return false;
    if (linkless.includes(code)) return createUnsigned(path, text);
    throw error;
  } finally {
    await unlink(draft).catch(() => {}); // it may not exist
  }
}

/** How file systems say that they have no second names. */
const linkless: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

const temporaryName = (path: string): string => join(dirname(path), `.${basename(path)}-${randomUUID()}`);

/** Where there are no links it exists for a moment without a signature. */
async function createUnsigned(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined: it is gone. */
const textOf = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  });

async function isStale(path: string, holder: string, clock: Clock): Promise<boolean> {
  const { host, pid, startTime } = signatureIn(holder);
  const isOurs = host === selfIdentity().host && typeof pid === "number" && typeof startTime === "string";
  if (isOurs) return !isAlive({ pid, startTime });
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: clock.now() }));
  return clock.now() - mtimeMs > (host === undefined ? unsignedMs : foreignMs);
}

function signatureIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/**
 * By one at a time: who comes second would hit the lock of somebody living. While the claim to this very holder's lock stands
 * nobody else removes that lock, so what was looked at is what goes. False: somebody else is about to.
 */
async function removeStale(path: string, holder: string, clock: Clock): Promise<boolean> {
  const claim = join(dirname(path), `.${basename(path)}-left-${digestOf(holder)}`);
  try {
    await link(path, claim);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    if (code === "EEXIST") return dropOldClaim(claim, clock);
    if (linkless.includes(code)) return removeByRename(path, holder);
    throw error;
  }
  if ((await textOf(claim)) === holder) await unlink(path);
  await unlink(claim).catch(() => {}); // swept away by who holds the lock now
  return true;
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** Whoever made it was killed in the middle: it takes no longer than a moment. */
async function dropOldClaim(claim: string, clock: Clock): Promise<boolean> {
  const { ctimeMs } = await stat(claim).catch(() => ({ ctimeMs: clock.now() }));
  if (clock.now() - ctimeMs <= unsignedMs) return false;
  await unlink(claim).catch(() => {}); // somebody else did
  return true;
}

/** Where there are no links somebody else may hold it by now: what was moved aside is looked at once more. */
async function removeByRename(path: string, holder: string): Promise<boolean> {
  const moved = temporaryName(path);
  try {
    await rename(path, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
  if ((await textOf(moved)) !== holder) await rename(moved, path);
  await unlink(moved).catch(() => {}); // moved back, or swept away by who holds the lock now
  return true;
}

const busy = (path: string, holder: string | undefined): GuardedFileError => {
  const { pid } = signatureIn(holder ?? "");
  const target = path.replace(/\.talaria-lock$/, "");
  return new GuardedFileError(target, {
    kind: "locked",
    lock: path,
    ...(typeof pid === "number" ? { pid } : {}),
  });
};
