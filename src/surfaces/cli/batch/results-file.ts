import { appendFileSync } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import type { BatchResult } from "../../../core/work/batch.ts";
import type { Clock } from "../../../lib/clock.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { takeLock } from "../../../lib/guarded-file/lock-file.ts";
import { usage } from "../failure.ts";

/** A line of the file. `id`: what the person calls it. */
export type Written = BatchResult & { readonly batch: string; readonly id?: string };

/** Where results go, one line each and each once. Nobody else writes to it while it is open. */
export type ResultsFile = AsyncDisposable & {
  /** What was there. */
  readonly known: readonly Written[];
  add(result: Written): void;
};

/**
 * Opens it for a batch. A last line that a crash has cut off goes: its result is in the store. `retry`: so do those of
 * prompts that did not go well. Rejects when something else is in it.
 */
export async function openResults(
  path: string,
  batch: string,
  { retry, clock }: { readonly retry: boolean; readonly clock: Clock },
): Promise<ResultsFile> {
  await using opened = new AsyncDisposableStack();
  opened.use(await takeLock(`${path}.lock`, clock));
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw usage(`${path} cannot be read: ${error.message}.`, "Name another file with --out.");
  });
  const all = resultsIn(path, text, batch);
  const known = retry ? all.filter(({ status }) => status === "done") : all;
  const mended = known.map((row) => `${JSON.stringify(row)}\n`).join("");
  if (known.length !== all.length || !text.endsWith("\n")) await replace(path, text, mended);
  const file = opened.use(await opening(path));
  const owned = opened.move();
  let broken: unknown;
  return {
    known,
    // In one write each: a crash cuts off the last of them at most, and after a failed one nothing follows.
    add(result) {
      if (broken !== undefined) throw broken;
      try {
        appendFileSync(file.fd, `${JSON.stringify(result)}\n`);
      } catch (error) {
        broken = namedFor(path, error);
        throw broken;
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const replace = async (path: string, before: string, after: string): Promise<void> =>
  before === after
    ? undefined
    : writeFileAtomic(path, after).catch((error: unknown) => {
        throw namedFor(path, error);
      });

/** An error of an open file does not say which one it is, and this one need not be in Talaria's home. */
const namedFor = (path: string, error: unknown): unknown =>
  error instanceof Error ? Object.assign(error, { path }) : error;

const opening = (path: string): Promise<FileHandle> =>
  open(path, "a", 0o600).catch((error: Error) => {
    throw usage(`${path} cannot be written: ${error.message}.`, "Name another file with --out.");
  });

function resultsIn(path: string, text: string, batch: string): readonly Written[] {
  const lines = text.split("\n");
  const torn = lines.pop() ?? "";
  const rows = lines.map((line, index) => {
    const row = written(line);
    if (row?.batch === batch) return row;
    throw usage(
      `${path} has something else in line ${index + 1} than results of this batch.`,
      "Its prompts, folder, model or runtime were changed since, or it is another file: name a new one with --out.",
    );
  });
  // Only its end of line was lost.
  const last = torn === "" ? undefined : written(torn);
  return last?.batch === batch ? [...rows, last] : rows;
}

function written(line: string): Written | undefined {
  try {
    const row = JSON.parse(line) as Partial<Written> | null;
    return typeof row?.batch === "string" && typeof row.line === "number" ? (row as Written) : undefined;
  } catch {
    return undefined;
  }
}
