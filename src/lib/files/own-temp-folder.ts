import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonDigest } from "../digest.ts";
import { type ProcessIdentity, isAlive, selfIdentity } from "../process/process-identity.ts";

const prefix = "talaria-";

/** A folder among those for temporary files whose name says which process it is for: what a killed one leaves can be told from the rest. */
export function ownTempFolder(kind: "scratch" | "proof"): Promise<string> {
  const { host, pid, startTime } = selfIdentity();
  return mkdtemp(join(tmpdir(), `${prefix}${kind}-${machine(host)}-${pid}-${coded(startTime)}-`));
}

/** Removes those of processes of this machine that are gone. Never rejects: what cannot be removed stays. */
export async function removeLeftTempFolders(): Promise<void> {
  const here = machine(selfIdentity().host);
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    const [, of, pid = "", start = ""] =
      /^talaria-(?:scratch|proof)-([0-9a-f]{6})-(\d+)-([0-9a-f]+)-\w{6}$/.exec(name) ?? [];
    if (of !== here || !isGone({ pid: Number(pid), startTime: decoded(start) })) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

function isGone(process: ProcessIdentity): boolean {
  try {
    return !isAlive(process);
  } catch {
    return false; // the system does not let us look
  }
}

/** Machines may share the folder, and have the same process ids. */
const machine = (host: string): string => jsonDigest(host).slice(0, 6);

/** Some systems give it with spaces in it. */
const coded = (startTime: string): string => Buffer.from(startTime).toString("hex");
const decoded = (start: string): string => Buffer.from(start, "hex").toString();
