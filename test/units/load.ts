import { accessSync, constants, statfsSync } from "node:fs";
import { glob } from "node:fs/promises";

/**
 * The tests of a group share a process: to start one and load its modules takes longer than most unit tests do, and as long
 * as a start of the program. Node runs the groups in the order of their names; the last ones are short, so that no core is idle
 * for long at the end.
 *
 * What needs a process of its own is named in package.json instead:
 * - `*.alone.test.ts`: a `before`, `beforeEach` or `afterEach` outside of a `describe` is one for all tests of the process;
 *   some look for processes that the whole file has left;
 * - `*.real.test.ts` and `tools/browser`: the real codex and the real browser, some for minutes: better run beside another file.
 */
export async function load(...patterns: readonly string[]): Promise<void> {
  for (const path of await unitTests(patterns)) await import(new URL(`../../${path}`, import.meta.url).href);
}

/** In the same order on every machine. */
export async function unitTests(patterns: readonly string[]): Promise<readonly string[]> {
  return (await Array.fromAsync(glob(patterns, { exclude: ["**/*.{alone,real}.test.ts"] }))).toSorted();
}

/** Containers often have little. */
const enoughBytes = 1024 ** 3;

/** For groups that mostly wait for a disk: nobody turns the machine off here, so nothing need be on one. */
export function keepFilesInMemory(): void {
  try {
    accessSync("/dev/shm", constants.W_OK);
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize > enoughBytes) process.env["TMPDIR"] = "/dev/shm";
  } catch {
    // Not on this system: it only takes longer.
  }
}
