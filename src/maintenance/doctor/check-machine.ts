import { randomUUID } from "node:crypto";
import { open, realpath, stat, statfs, unlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { launcher } from "../../lib/own-files.ts";
import { type Finding, type Probe, fine, note, sizeText, wrong } from "./probe.ts";
import type { Facts } from "./facts.ts";

/** What Talaria stands on: Node, its launcher, and the disk. */
export const machineProbes = (facts: Facts): readonly Probe[] => [
  { name: "node", look: async () => [nodeCheck()] },
  { name: "launcher", look: async () => [await launcherCheck(facts)] },
  { name: "disk", look: async () => [await diskCheck(facts)] },
];

function nodeCheck(): Finding {
  const { node, sqlite = "unknown" } = process.versions as typeof process.versions & { sqlite?: string };
  const [major = 0] = node.split(".").map(Number);
  const detail = `Node ${node}, SQLite ${sqlite}, ${process.platform} ${process.arch}`;
  if (major >= 24) return fine("node", detail);
  return wrong("node", detail, "Start Talaria through bin/talaria, which finds Node 24 or newer.");
}

/** Editors, scripts and codex start Talaria by its name. */
async function launcherCheck({ env }: Facts): Promise<Finding> {
  const folders = (env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const named = await firstFile(folders.map((folder) => join(folder, "talaria")));
  const own = await realpath(launcher).catch(() => launcher);
  if (named === undefined)
    return note(
      "launcher",
      `${own}; no talaria is on the PATH`,
      `ln -s ${own} ~/.local/bin/talaria (or any folder of the PATH)`,
    );
  if ((await realpath(named)) === own) return fine("launcher", named);
  return note(
    "launcher",
    `${own}; but on the PATH, talaria is ${named}`,
    "Remove the one that you do not want.",
  );
}

async function firstFile(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await isFile(file)) return file;
  return undefined;
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

/** Below the first nothing can be relied on, below the second it is time to look. */
const leastBytes = 10 * 1024 * 1024;
const fewBytes = 200 * 1024 * 1024;

async function diskCheck({ location }: Facts): Promise<Finding> {
  const { home } = location;
  const folder = await nearest(home);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const left = `${sizeText(free)} free at ${folder}`;
  const problem = folder === home ? await writeProblem(folder) : undefined;
  const makeRoom = `Free space on the disk that holds ${folder}.`;
  if (problem === "ENOSPC" || problem === "EDQUOT")
    return wrong("disk", `no space left to write in ${folder}`, makeRoom);
  if (problem !== undefined)
    return wrong(
      "disk",
      `${folder} cannot be written (${problem})`,
      "Make it writable, or set TALARIA_HOME to a folder that is.",
    );
  if (free < leastBytes) return wrong("disk", `only ${left}`, makeRoom);
  return free < fewBytes ? note("disk", `only ${left}`, makeRoom) : fine("disk", left);
}

async function nearest(folder: string): Promise<string> {
  const there = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return there || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

/** Quotas and read-only disks show in nothing but a real write. */
async function writeProblem(folder: string): Promise<string | undefined> {
  const file = join(folder, `.doctor-${randomUUID()}`);
  try {
    await using handle = await open(file, "wx", 0o600);
    await handle.writeFile(Buffer.alloc(4096));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    await unlink(file).catch(() => {}); // it may not have come into being
  }
}
