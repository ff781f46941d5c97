import { readFile, readdir } from "node:fs/promises";
import { systemClock } from "../../src/lib/clock.ts";
import { residentMiB } from "../codex/memory.ts";
import type { Place } from "../codex/place.ts";

export type Process = { readonly pid: number; readonly command: string };

/** The agent, codex and what that runs: all have the folder of the place as their HOME. */
export async function processesIn({ folder }: Pick<Place, "folder">): Promise<readonly Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      if (!environment.split("\0").includes(`HOME=${folder}`)) return [];
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return [{ pid: Number(pid), command: command.replaceAll("\0", " ").trim() }];
    }),
  );
  return found.flat();
}

/** Resident memory of all of them. */
export async function memoryIn(place: Place): Promise<number> {
  const all = await processesIn(place);
  const each = await Promise.all(all.map(({ pid }) => residentMiB(pid)));
  return each.reduce((sum, mib) => sum + (Number.isNaN(mib) ? 0 : mib), 0);
}

/** Those that are still there after a while, though nobody needs them. */
export async function leftIn(
  place: Place,
  patienceMs: number,
  isMeant: (process: Process) => boolean = () => true,
): Promise<readonly Process[]> {
  const until = systemClock.monotonic() + patienceMs;
  for (;;) {
    const left = (await processesIn(place)).filter(isMeant);
    if (left.length === 0 || systemClock.monotonic() > until) return left;
    await systemClock.sleep(50, undefined, { hold: true });
  }
}

export function killAll(processes: readonly Process[]): void {
  for (const { pid } of processes) kill(pid);
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
