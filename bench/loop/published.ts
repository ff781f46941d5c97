import { cp, mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildInto } from "../../scripts/build.ts";

/** The program as npm would install it: the bundle, without our sources. */
export async function buildPublished(inside: string): Promise<string> {
  const folder = join(inside, "published");
  await mkdir(folder);
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  for (const name of ["bin", "package.json"])
    await cp(resolve(name), join(folder, name), { recursive: true });
  await buildInto(join(folder, "dist"));
  return join(folder, "bin", "talaria");
}
