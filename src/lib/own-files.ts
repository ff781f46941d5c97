import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** The bundle is one flat folder of JavaScript beside `src`. */
export const isBundle = import.meta.filename.endsWith(".js");

/** Our own package: the launcher, package.json, and our packages in which a codex may be found. */
export const packageRoot = resolve(import.meta.dirname, isBundle ? ".." : "../..");

/** The program that people start. */
export const launcher = join(packageRoot, "bin/talaria");

/** All of our code that the launcher may run, now or next time. */
export const ownCode = (): readonly string[] =>
  ["dist", "src"].map((folder) => join(packageRoot, folder)).filter((folder) => existsSync(folder));

/**
 * A file beside the one that asks (`from`: its `import.meta.url`) that is started as a thread or a process. In the bundle each is
 * a file by itself, with all that it needs.
 */
export const ownProgram = (file: `./${string}.child.ts`, from: string): URL =>
  new URL(isBundle ? file.replace(/\.ts$/, ".js") : file, from);
