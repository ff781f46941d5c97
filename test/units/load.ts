import { constants, accessSync } from "node:fs";
import { glob } from "node:fs/promises";

/**
 * The unit tests of a group share a process: to start one and load its modules takes longer than most tests do. Node runs
 * the groups in the order of their names; the last ones are short, so that no core is idle for long at the end.
 *
 * What needs a process of its own is named in package.json instead:
 * - `*.alone.test.ts`: a `before`, `beforeEach` or `afterEach` outside of a `describe` is one for all tests of the process;
 * - `*.real.test.ts`: each starts the real codex for its whole file, and is long enough to be run beside another;
 * - `tools/*`, `tools/mcp`, `tools/terminal`: when they end, no process may be left, and they count those of all tests;
 * - `tools/browser`: a page that crashes takes Chromium down with all that the other tests keep busy in the same process.
 */
export async function load(...patterns: readonly string[]): Promise<void> {
  for (const path of await unitTests(patterns)) await import(new URL(`../../${path}`, import.meta.url).href);
}

/** In the same order on every machine. */
export async function unitTests(patterns: readonly string[]): Promise<readonly string[]> {
  return (await Array.fromAsync(glob(patterns, { exclude: ["**/*.{alone,real}.test.ts"] }))).toSorted();
}

/** For groups that mostly wait for a disk: nobody turns the machine off here, so nothing need be on one. */
export function keepFilesInMemory(): void {
  try {
    accessSync("/dev/shm", constants.W_OK);
    process.env["TMPDIR"] = "/dev/shm";
  } catch {
    // Not on this system: it only takes longer.
  }
}
