import { cp, glob, mkdir, readdir, realpath, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { newFolder } from "../temp-folder.ts";
import { buildInto } from "../../scripts/build.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let made: Promise<string> | undefined;

/** The program as people install it: without the codex that is among the packages of the source. One for each process. */
export const programWithoutCodex = (): Promise<string> => (made ??= copy());

after(async () => {
  if (made !== undefined) await rm(join(await made, "..", ".."), { recursive: true, force: true });
});

async function copy(): Promise<string> {
  const folder = await newFolder();
  for (const name of ["bin", "package.json"])
    await cp(join(root, name), join(folder, name), { recursive: true });
  const dist = join(root, "dist");
  await ((await isCurrent(dist))
    ? cp(dist, join(folder, "dist"), { recursive: true })
    : buildInto(join(folder, "dist")));
  await mkdir(join(folder, "node_modules"));
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name !== "@openai" && name !== ".bin")
      await symlink(await realpath(join(root, "node_modules", name)), join(folder, "node_modules", name));
  }
  return join(folder, "bin", "talaria");
}

/** Has nothing changed since it was built? `npm test` has just done so. */
async function isCurrent(dist: string): Promise<boolean> {
  const built = await stat(join(dist, "built")).catch(() => undefined);
  if (built === undefined) return false;
  for await (const path of glob("src/**", { cwd: root }))
    if ((await stat(join(root, path))).ctimeMs > built.ctimeMs) return false;
  return true;
}
