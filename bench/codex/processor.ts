import { readFile } from "node:fs/promises";

/** Every Linux counts processor time for others in hundredths of a second. */
const tickMs = 10;

/** Processor time of a process since it began, children that it reaped included. NaN where there is no /proc. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name in the second field may hold anything, a closing bracket too.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number);
  return ((user ?? NaN) + (system ?? NaN) + (childUser ?? NaN) + (childSystem ?? NaN)) * tickMs;
}
