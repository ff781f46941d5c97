import { readFile, readdir } from "node:fs/promises";
import type { World } from "./world.ts";

/** Part of the command of processes that a script tries to leave. */
export const leftMark = "98765";

/** Those of them that still run. Codex has processes of its own beside them. */
export async function leftProcesses({ home }: Pick<World, "home">): Promise<readonly string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (!command.split("\0").includes(leftMark)) return [];
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      return environment.split("\0").includes(`HOME=${home}`)
        ? [`still runs: ${command.replaceAll("\0", " ")}`]
        : [];
    }),
  );
  return found.flat();
}
