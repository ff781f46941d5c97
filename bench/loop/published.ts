import { cp, mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { runCommand } from "../../src/lib/command.ts";

/** The program as npm would install it: emitted JavaScript instead of our sources. */
export async function buildPublished(inside: string): Promise<string> {
  const folder = join(inside, "published");
  await mkdir(folder);
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  for (const name of ["bin", "package.json"])
    await cp(resolve(name), join(folder, name), { recursive: true });
  const { code, stdout } = await runCommand({
    command: resolve("node_modules/.bin/tsc"),
    args: ["-p", "tsconfig.build.json", "--outDir", join(folder, "dist")],
    cwd: process.cwd(),
    env: { PATH: process.env["PATH"] ?? "" },
    clock: systemClock,
    signal: new AbortController().signal,
  });
  if (code !== 0) throw new Error(`The program could not be built: ${stdout}`);
  return join(folder, "bin", "talaria");
}
