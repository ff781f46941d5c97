import { lstat, readFile, readdir, realpath, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lanes } from "../lanes.ts";
import { processRow } from "../process/process-table.ts";
import { obeyedNames } from "./paths.ts";

/** `missing`: where codex has to make an empty folder of its own to have something to close. */
type Use = { commands: number; readonly missing: readonly string[] };

const inUse = new Map<string, Use>();
const turns = lanes<string>();

/**
 * To be called before codex's sandbox opens these folders for writing; what it gives, when the command is gone. Codex makes an empty
 * folder for each name that it keeps closed, and removes it after the last command that works there. When one command ends just
 * as another begins, it may take its own for one that was there before, and leave it for ever. So whatever was
 * missing before the first of our commands is removed after the last one, if nothing is in it.
 */
export async function guardMountPoints(folders: readonly string[]): Promise<() => Promise<void>> {
  for (const folder of folders) await turns.run(folder, () => begin(folder));
  return async () => {
    for (const folder of folders) await turns.run(folder, () => end(folder));
  };
}

async function begin(folder: string): Promise<void> {
  const use = inUse.get(folder) ?? { commands: 0, missing: await missingIn(folder) };
  use.commands += 1;
  inUse.set(folder, use);
}

async function end(folder: string): Promise<void> {
  const use = inUse.get(folder);
  if (use === undefined) return;
  use.commands -= 1;
  if (use.commands > 0) return;
  inUse.delete(folder);
  for (const path of use.missing) {
    // Under a command of another process it would open what is closed to that command.
    const others = await notesOf(path);
    if (others.length === 0) await rmdir(path).catch(() => {}); // it is gone, or somebody has put something there
  }
}

async function missingIn(folder: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const path of obeyedNames.map((name) => join(folder, name))) {
    const there = await lstat(path).then(
      () => true,
      () => false,
    );
    if (!there || (await notesOf(path)).includes(madeByCodex)) missing.push(path);
  }
  return missing;
}

const madeByCodex = "synthetic\n";

/** What codex has noted of a path, one note for each command that lives: files named after processes. */
async function notesOf(path: string): Promise<readonly string[]> {
  const folder = await notesFolder(path);
  const names = await readdir(folder).catch(() => []);
  const living = names.filter((name) => /^\d+$/.test(name) && processRow(Number(name)) !== undefined);
  const notes = living.map((name) => readFile(join(folder, name), "utf8").catch(() => undefined));
  return (await Promise.all(notes)).filter((note) => note !== undefined);
}

export async function notesFolder(path: string): Promise<string> {
  const root = `codex-bwrap-synthetic-mount-targets-${process.geteuid?.()}`;
  return join(await realpath(tmpdir()), root, hash(path));
}

/** Codex's own: FNV-1a with 64 bits. */
function hash(path: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(path)) value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  return value.toString(16).padStart(16, "0");
}
