import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../lib/clock.ts";
import { readOnlyGit } from "../../../lib/git.ts";
import type { Variables } from "../../../lib/process/variables.ts";
import { canBeWritten } from "./path-completion.ts";

export type FileList = {
  /**
   * Files and folders below the working folder, relative to it; a folder ends with a slash. Rejects only with the
   * signal's reason.
   */
  list(signal: AbortSignal): Promise<readonly string[]>;
};

const cacheMs = 5_000;
const patienceMs = 5_000;
const mostEntries = 20_000;
const mostBytes = 8 * 1024 * 1024;
const deepest = 12;

/** Nothing is looked at before somebody asks, and the answer is kept for a few seconds of typing. */
export function fileList(cwd: string, env: Variables, clock: Clock): FileList {
  let cached: { readonly paths: Promise<readonly string[]>; until: number } | undefined;
  return {
    async list(signal) {
      signal.throwIfAborted();
      if (cached === undefined || cached.until <= clock.monotonic()) {
        const fresh = { paths: load(cwd, env, clock), until: Infinity };
        cached = fresh;
        // The next key aborts this request, but the listing goes on and is cached.
        void fresh.paths.then(() => (fresh.until = clock.monotonic() + cacheMs));
      }
      return await orAbort(cached.paths, signal);
    },
  };
}

/** Git knows what is ignored. Where it has nothing to say, the folders are walked. */
async function load(cwd: string, env: Variables, clock: Clock): Promise<readonly string[]> {
  const known = await gitFiles(cwd, env, clock).catch(() => []);
  const files = known.length > 0 ? known : await walk(cwd, clock);
  return files.filter(canBeWritten);
}

async function gitFiles(cwd: string, env: Variables, clock: Clock): Promise<readonly string[]> {
  const git = await readOnlyGit(cwd, env, clock, new AbortController().signal, patienceMs);
  if (git === undefined) return [];
  const { code, stdout, timedOut } = await git(
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    mostBytes,
  );
  if (code !== 0 || timedOut) return [];
  // What stands behind the last zero was cut off.
  return withFolders(stdout.split("\0").slice(0, -1).slice(0, mostEntries));
}

function withFolders(files: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const file of files) {
    for (let at = file.indexOf("/"); at >= 0; at = file.indexOf("/", at + 1))
      found.add(file.slice(0, at + 1));
    found.add(file);
  }
  return inOrder([...found].slice(0, mostEntries));
}

/** Breadth first, so that a huge folder does not hide its neighbours. */
async function walk(cwd: string, clock: Clock): Promise<readonly string[]> {
  const until = clock.monotonic() + patienceMs;
  const found: string[] = [];
  let level = [""];
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (found.length >= mostEntries || clock.monotonic() > until) return inOrder(found);
      const entries = await readdir(join(cwd, folder), { withFileTypes: true }).catch(() => []);
      for (const entry of entries.slice(0, mostEntries - found.length)) {
        if (!entry.isDirectory()) found.push(folder + entry.name);
        if (!entry.isDirectory() || isLeftOut(entry.name)) continue;
        found.push(`${folder}${entry.name}/`);
        next.push(`${folder}${entry.name}/`);
      }
    }
    level = next;
  }
  return inOrder(found);
}

const isLeftOut = (folder: string): boolean => folder.startsWith(".") || folder === "node_modules";

/** The shallow ones first: they are shown when nothing is typed yet. */
const inOrder = (paths: readonly string[]): readonly string[] =>
  paths
    .map((path) => ({ path, depth: path.replace(/\/$/, "").split("/").length }))
    .toSorted((a, b) => a.depth - b.depth || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);

/** The promise's result, or the signal's reason if that comes first. What the promise does is not ended by it. */
function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
