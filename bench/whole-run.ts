import { readFile } from "node:fs/promises";
import { spawnChild } from "../src/lib/process/child.ts";
import { systemClock } from "../src/lib/clock.ts";

/** `saidMs`: until it had said what it should. `cpuMs`: processor time of it and of all that it started and waited for. `done`: it said what it should. */
export type WholeRun = {
  readonly ms: number;
  readonly saidMs: number;
  readonly cpuMs: number;
  readonly done: boolean;
};

export type StartedProgram = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it writes when all is well. */
  readonly says: RegExp;
};

/** The program from its start to its end. */
export async function wholeRun({ says, ...program }: StartedProgram): Promise<WholeRun> {
  const cpuBefore = await childrenCpuMs();
  const began = systemClock.monotonic();
  await using child = await spawnChild({
    ...program,
    kind: "bench",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    signal: AbortSignal.timeout(60_000),
  });
  child.closeInput();
  const decoder = new TextDecoder();
  let text = "";
  let saidMs = Number.NaN;
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (Number.isNaN(saidMs) && says.test(text)) saidMs = systemClock.monotonic() - began;
  }
  const { code, stderrTail } = await child.exited;
  const ms = systemClock.monotonic() - began;
  const done = code === 0 && says.test(text);
  const { command, args } = program;
  if (!done) console.error(`${command} ${args.join(" ")} ended with ${code}: ${text}${stderrTail}`);
  return { ms, saidMs, cpuMs: (await childrenCpuMs()) - cpuBefore, done };
}

/** Every Linux counts processor time for others in hundredths of a second. */
const tickMs = 10;

/** Processor time of all children that have ended. NaN where there is no /proc. */
export async function childrenCpuMs(): Promise<number> {
  const stat = await readFile("/proc/self/stat", "utf8").catch(() => "");
  // The name in the second field may hold anything, a closing bracket too.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(13, 15);
  return (Number(user) + Number(system)) * tickMs;
}
