import { readFile, readdir } from "node:fs/promises";
import type { World } from "./world.ts";

/** Processes that the commands of a turn have left: they have its home, and are neither Talaria nor its codex. */
export async function leftProcesses({ home }: World, own: number): Promise<readonly string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      if (Number(pid) === own || !environment.split("\0").includes(`HOME=${home}`)) return [];
      const command = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ");
      return /^$|app-server|chrom/.test(command) ? [] : [`still runs: ${command.slice(0, 120)}`];
    }),
  );
  return found.flat();
}
