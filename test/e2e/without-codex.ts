import { cp, mkdir, readdir, realpath, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { newFolder } from "../temp-folder.ts";
import { buildInto } from "../../scripts/build.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let made: Promise<string> | undefined;

/** The program as people install it: without the codex that is among the packages of the source. One for each test file. */
export const programWithoutCodex = (): Promise<string> => (made ??= copy());

after(async () => {
  if (made !== undefined) await rm(join(await made, "..", ".."), { recursive: true, force: true });
});

async function copy(): Promise<string> {
  const folder = await newFolder();
  for (const name of ["bin", "package.json"])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await buildInto(join(folder, "dist"));
  await mkdir(join(folder, "node_modules"));
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name !== "@openai" && name !== ".bin")
      await symlink(await realpath(join(root, "node_modules", name)), join(folder, "node_modules", name));
  }
  return join(folder, "bin", "talaria");
}
