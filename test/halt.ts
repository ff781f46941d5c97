import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Stops a process and waits until it stands still: in its last milliseconds it may still answer. */
export async function halt(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  const tasks = `/proc/${pid}/task`;
  const states = async (): Promise<readonly string[]> => {
    const stats = (await readdir(tasks)).map((id) => readFile(join(tasks, id, "stat"), "utf8"));
    return (await Promise.all(stats)).map((stat) => stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "");
  };
  while (!(await states()).every((state) => state === "T"));
}
