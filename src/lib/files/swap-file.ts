import { copyFileSync, linkSync, readFileSync, renameSync } from "node:fs";
import { unlink, writeFile } from "node:fs/promises";
import type { Clock } from "../clock.ts";
import { runCommand } from "../process/command.ts";

/**
 * `done`: `fresh` stands at the path now, and under its name is what stood there. `changed`: the path did not hold what
 * was expected, and nothing happened. `both`: somebody saved twice in that very moment; the later save stands at the
 * path, the earlier one under the name of `fresh`.
 */
export type Swapped = "done" | "changed" | "both";

/** Both names are absolute and in one folder. */
export type SwapFile = (fresh: string, path: string, expected: Uint8Array) => Promise<Swapped>;

/** The number of renameat2, which can exchange two names in one step and which Node cannot call. */
const systemCalls: Readonly<Record<string, number>> = { x64: 316, arm64: 276 };

/** Looks, swaps, looks whether it got what it had seen, and swaps back if not: all within microseconds. */
const script = `
my ($fresh, $path, $expected, $call) = @ARGV;
sub text { open(my $file, "<:raw", $_[0]) or exit 3; local $/; my $text = <$file>; defined $text ? $text : "" }
sub swap { syscall($call + 0, -100, $fresh, -100, $path, 2) == 0 }
my ($old, $new) = (text($expected), text($fresh));
exit 3 if text($path) ne $old;
exit 5 unless swap();
exit 0 if text($fresh) eq $old;
exit 4 unless swap();
exit 3 if text($fresh) eq $new;
swap();
exit 4;
`;

const results: Readonly<Record<number, Swapped>> = { 0: "done", 3: "changed", 4: "both" };
const patienceMs = 10_000;

/**
 * Replaces a file only if it holds what is expected, and hands over what it replaced. With perl on Linux no save of
 * anybody is lost, however close. Elsewhere one that is renamed to the path in the moment between the look and the
 * replacement is, which lasts some microseconds.
 */
export function fileSwapper(env: Readonly<Record<string, string | undefined>>, clock: Clock): SwapFile {
  const call = process.platform === "linux" ? systemCalls[process.arch] : undefined;
  let hasPerl = call !== undefined;
  return async (fresh, path, expected) => {
    if (hasPerl) {
      const result = await byPerl([fresh, path], expected, String(call), env["PATH"] ?? "", clock);
      if (result !== undefined) return result;
    }
    hasPerl = false;
    return byRename(fresh, path, expected);
  };
}

/** Undefined: there is no perl, or the file system cannot do it. Nothing happened then. */
async function byPerl(
  [fresh, path]: readonly [string, string],
  expected: Uint8Array,
  call: string,
  PATH: string,
  clock: Clock,
): Promise<Swapped | undefined> {
  const known = `${fresh}.known`;
  const args = ["-e", script, fresh, path, known, call];
  try {
    await writeFile(known, expected, { mode: 0o600 });
    const { signal } = new AbortController();
    const options = { command: "perl", args, cwd: "/", env: { PATH }, clock, signal };
    const { code } = await runCommand({ ...options, timeoutMs: patienceMs });
    return results[code ?? -1];
  } catch {
    return undefined;
  } finally {
    await unlink(known).catch(() => {}); // it may not exist
  }
}

function byRename(fresh: string, path: string, expected: Uint8Array): Swapped {
  const second = `${fresh}.aside`;
  if (!isStill(path, expected)) return "changed";
  if (!linkOrCopy(path, second)) return "changed";
  renameSync(fresh, path);
  renameSync(second, fresh);
  return "done";
}

function isStill(path: string, expected: Uint8Array): boolean {
  try {
    return readFileSync(path).equals(expected);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/**
 * By a second name, so that what an editor still writes into the old file is there; not every file system has those.
 * False: somebody is replacing or removing it at this very moment.
 */
function linkOrCopy(path: string, second: string): boolean {
  try {
    linkSync(path, second);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code === "EEXIST") throw error;
    copyFileSync(path, second);
  }
  return true;
}
