import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, selfIdentity } from "../../lib/process-identity.ts";

export type ProfileFolder = AsyncDisposable & { readonly path: string };

const prefix = "talaria-";
const ownerFile = "owner.json";

/** Chromium makes a socket 62 characters deeper, and the path of a socket has at most 107. */
const longestParent = 45;

/**
 * A folder for one run of the browser, gone afterwards; those of processes that were killed go when the next one is
 * made. It stands in `parent`, or in `spare` when that path is too long for Chromium.
 */
export async function profileFolder(parent: string, spare = tmpdir()): Promise<ProfileFolder> {
  const place = parent.length <= longestParent ? parent : spare;
  await mkdir(place, { recursive: true, mode: 0o700 });
  await removeLeftOver(place);
  const path = await mkdtemp(join(place, prefix));
  await writeFile(join(path, ownerFile), JSON.stringify(selfIdentity()));
  return { path, [Symbol.asyncDispose]: () => remove(path) };
}

async function removeLeftOver(place: string): Promise<void> {
  const names = (await readdir(place)).filter((name) => name.startsWith(prefix));
  for (const name of names) if (await isLeftOver(join(place, name))) await remove(join(place, name));
}

async function isLeftOver(path: string): Promise<boolean> {
  try {
    const owner = JSON.parse(await readFile(join(path, ownerFile), "utf8")) as Record<string, unknown>;
    const { pid, startTime, host } = owner;
    if (typeof pid !== "number" || typeof startTime !== "string") return false;
    return host === selfIdentity().host && !isAlive({ pid, startTime });
  } catch {
    return false; // it is being made just now, or is nobody's
  }
}

/** The browser's last processes may still write while it is removed. */
const remove = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
