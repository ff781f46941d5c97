import { spawnChild } from "../../src/lib/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { childrenCpuMs } from "../loop/cold.ts";
import type { Home } from "./home.ts";
import type { Program, Run } from "./start.ts";

/** The program from its start to its end. */
export async function wholeRun({ command, args, says }: Program, { cwd, env }: Home): Promise<Run> {
  const cpuBefore = await childrenCpuMs();
  const began = systemClock.monotonic();
  await using child = await spawnChild({
    command,
    args,
    cwd,
    env,
    kind: "bench-start",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    signal: AbortSignal.timeout(60_000),
  });
  child.closeInput();
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of child.stdout) text += decoder.decode(chunk, { stream: true });
  const { code, stderrTail } = await child.exited;
  const ms = systemClock.monotonic() - began;
  const done = code === 0 && says.test(text);
  if (!done) console.error(`${command} ${args.join(" ")} ended with ${code}: ${text}${stderrTail}`);
  return { ms, cpuMs: (await childrenCpuMs()) - cpuBefore, done };
}
