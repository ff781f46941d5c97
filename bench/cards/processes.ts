import { readFile, readdir } from "node:fs/promises";

export type Running = { readonly pid: number; readonly command: string };

/** Processes that have this in their command line. */
export async function processesWith(words: string): Promise<readonly Running[]> {
  return (await running()).filter(({ command }) => command.includes(words));
}

/** Those of a home: the host, codex and what that runs all have its folder as their HOME. */
export async function processesOf(folder: string): Promise<readonly Running[]> {
  const all = await running();
  const environments = await Promise.all(all.map(({ pid }) => read(pid, "environ")));
  return all.filter((_, at) => environments[at]?.split("\0").includes(`HOME=${folder}`));
}

async function running(): Promise<readonly Running[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const commands = await Promise.all(pids.map((pid) => read(pid, "cmdline")));
  // One without words has ended, and waits for its parent to hear of it.
  return pids.flatMap((pid, at) =>
    commands[at] === "" ? [] : [{ pid, command: commands[at]?.replaceAll("\0", " ") ?? "" }],
  );
}

const read = (pid: number, name: string): Promise<string> =>
  readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
