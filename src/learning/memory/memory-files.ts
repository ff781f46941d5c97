import { createHash } from "node:crypto";
import type { MemoryLimits, MemoryTarget } from "./memory-limits.ts";

/** A file of memory. `first`: what it begins with when it is made. */
export type MemoryFile = {
  readonly target: MemoryTarget;
  /** Below the home. */
  readonly file: string;
  readonly limit: number;
  /** The project that it is about. */
  readonly root?: string;
  readonly first?: string;
};

export type MemoryFileParts = {
  readonly limits: MemoryLimits;
  /** Those that are switched on. */
  readonly targets: ReadonlySet<MemoryTarget>;
  /** The folder that stands for the project in which a folder is. */
  readonly projectOf: (cwd: string) => Promise<string>;
};

const order: readonly MemoryTarget[] = ["user", "memory", "project"];

/** All that are used for work in a folder. */
export const memoryFiles =
  ({ limits, targets, projectOf }: MemoryFileParts) =>
  async (cwd: string): Promise<readonly MemoryFile[]> => {
    const root = await projectOf(cwd);
    return order
      .filter((target) => targets.has(target))
      .map((target) => memoryFileOf(target, limits[target], root));
  };

function memoryFileOf(target: MemoryTarget, limit: number, root: string): MemoryFile {
  if (target !== "project")
    return { target, limit, file: `memories/${target === "user" ? "USER.md" : "MEMORY.md"}` };
  const file = `memories/projects/${projectKey(root)}/MEMORY.md`;
  return { target, limit, file, root, first: `<!-- Project: ${root.replaceAll(/[\n\r]|-->/g, " ")} -->\n` };
}

const projectKey = (root: string): string => createHash("sha256").update(root).digest("hex").slice(0, 12);

/** What people call the file. */
export const memoryFileName = ({ target }: Pick<MemoryFile, "target">): string =>
  ({ user: "USER.md", memory: "MEMORY.md", project: "the project's MEMORY.md" })[target];
