import { readFile } from "node:fs/promises";
import { systemClock } from "../../src/lib/clock.ts";
import { runCommand } from "../../src/lib/process/command.ts";

/** Resident memory of a process. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined);
  const kib = status === undefined ? await fromPs(pid) : /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return Number(kib) / 1024;
}

/** Where there is no /proc. */
async function fromPs(pid: number): Promise<string> {
  const { stdout } = await runCommand({
    command: "ps",
    args: ["-o", "rss=", "-p", String(pid)],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    clock: systemClock,
    signal: AbortSignal.timeout(10_000),
  });
  return stdout.trim();
}
