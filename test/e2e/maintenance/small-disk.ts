import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { newFolder } from "../../temp-folder.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { runCommand } from "../../../src/lib/process/command.ts";

/** A disk of its own that can be filled to the last byte. */
export type SmallDisk = AsyncDisposable & {
  readonly folder: string;
  /** To the last byte, or until only so many are left. */
  fill(leaving?: number): void;
  free(): Promise<void>;
};

/** A string: why there is none here. */
export async function smallDisk(): Promise<SmallDisk | string> {
  if (process.platform !== "linux") return "only Linux has a tmpfs to fill";
  await using parts = new AsyncDisposableStack();
  const folder = await newFolder();
  parts.defer(() => rmdir(folder));
  const problem = await command("mount", ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", folder]);
  if (problem !== undefined) return `a tmpfs cannot be mounted here (needs root): ${problem}`;
  parts.defer(async () => void (await command("umount", ["-l", folder])));
  const kept = parts.move();
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill: (leaving = 0) => fillUp(ballast, leaving),
    free: () => rm(ballast),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Blocks: whoever calls it can be sure that nothing is written in between. */
function fillUp(file: string, leaving: number): void {
  const descriptor = openSync(file, "w");
  try {
    for (const size of [65_536, 4096, 1]) while (written(descriptor, size));
    if (leaving > 0) ftruncateSync(descriptor, fstatSync(descriptor).size - leaving);
  } finally {
    closeSync(descriptor);
  }
}

function written(descriptor: number, size: number): boolean {
  try {
    return writeSync(descriptor, Buffer.alloc(size)) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return false;
    throw error;
  }
}

/** Why it did not work. */
async function command(name: string, args: readonly string[]): Promise<string | undefined> {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  const { signal } = new AbortController();
  try {
    const how = { command: name, args, cwd: "/", env, signal, clock: systemClock };
    const { code, stderr } = await runCommand(how);
    return code === 0 ? undefined : stderr.trim().split("\n", 1).join();
  } catch (error) {
    return String(error);
  }
}
