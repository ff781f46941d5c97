import { createHash, randomUUID } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { type ProcessIdentity, isAlive } from "./process-identity.ts";

/** `stamp`: the same for every process of a machine, and in every copy of a home another one on another machine. */
export type Machine = { readonly name: string; readonly stamp: string };

/**
 * The id of a machine: its name, so that people recognise it, and something random, because containers and clones share
 * names. It is made once and kept in `file`, a line for each machine that ever had the home: one that was copied, or lies
 * on a shared disk, is no reason to take another machine for this one. Of several who make it at once, all take the line
 * that came first.
 */
export async function hostIdIn(file: string, machine?: Machine): Promise<string> {
  const here = machine ?? (await thisMachine());
  // The second time: half a line of somebody who was killed stood before ours.
  for (const _ of [1, 2]) {
    const known = await knownHostId(file, here);
    if (known !== undefined) return known;
    const name = here.name.replaceAll(/[^\w.-]+/g, "-");
    const line = `${name}-${randomUUID().slice(0, 8)} ${here.stamp}\n`;
    await appendFile(file, line, { mode: 0o600, flush: true });
  }
  const made = await knownHostId(file, here);
  if (made === undefined) throw new Error(`${file} does not keep what is written to it`);
  return made;
}

/** Writes nothing. Undefined: this machine has not had the home yet. */
export async function knownHostId(file: string, machine?: Machine): Promise<string | undefined> {
  const { stamp } = machine ?? (await thisMachine());
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  // What follows the last end of a line is still being written.
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => line.split(" ")).find((words) => words.length === 2 && words[1] === stamp)?.[0];
}

/**
 * Has a process of this machine ended? Of others nobody can say. Rows from before there were ids have the plain name of
 * their machine: that name counts as this machine's own, so that what an older version left here is still found.
 */
export const isGoneFrom =
  (id: string | undefined) =>
  (other: ProcessIdentity & { readonly host: string }): boolean =>
    (other.host === id || other.host === hostname()) && !isAlive(other);

/** Id and name together: containers of one image often share the id, and a name alone is shared more often still. */
async function thisMachine(): Promise<Machine> {
  const name = hostname();
  const id = await readFile("/etc/machine-id", "utf8").catch(() => "");
  // Hashed: the id itself is not meant to be copied around.
  return { name, stamp: createHash("sha256").update(`${id.trim()} ${name}`).digest("hex").slice(0, 32) };
}
