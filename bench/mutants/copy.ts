import { chmod, cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { runCommand } from "../../src/lib/process/command.ts";

export type Copy = AsyncDisposable & { readonly folder: string };

/** What a checkout has that no test looks at. */
const left: ReadonlySet<string> = new Set([".git", "dist", "node_modules"]);

/** A copy of the checkout to plant faults in. The packages in it are linked, not copied: nothing writes to them. */
export async function openCopy(root: string, signal: AbortSignal): Promise<Copy> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-mutants-"));
  // Some tests try what another user may do.
  await chmod(folder, 0o755);
  for (const name of await readdir(root)) {
    if (!left.has(name)) await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await linkPackages(join(root, "node_modules"), join(folder, "node_modules"), signal);
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Without `.cache`: tests write there, some at this moment, and look whether anybody has touched it. */
async function linkPackages(from: string, to: string, signal: AbortSignal): Promise<void> {
  const names = (await readdir(from)).filter((name) => name !== ".cache").map((name) => join(from, name));
  for (const how of ["-al", "-a"]) {
    await mkdir(to);
    const { code } = await runCommand({
      command: "cp",
      args: [how, ...names, to],
      cwd: tmpdir(),
      env: { PATH: process.env["PATH"] ?? "" },
      clock: systemClock,
      signal,
    });
    if (code === 0) return;
    // Another file system cannot be linked to.
    await rm(to, { recursive: true, force: true });
  }
  throw new Error(`${from} could not be copied to ${to}. Is there room in ${tmpdir()}?`);
}
