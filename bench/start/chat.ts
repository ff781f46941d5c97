import { systemClock } from "../../src/lib/clock.ts";
import { startScreen } from "../../test/e2e/screen/screen.ts";
import { childrenCpuMs } from "../whole-run.ts";
import type { Home } from "./home.ts";
import { type Run, talaria } from "./start.ts";

/** The line above the place where a person may type. */
const prompt = /^─{8,}$/m;

/** What says that everything is there: which model answers, on which runtime. */
const banner = /^demo · (?:loop|codex)/m;

/** A chat that does not want to end by then is ended. */
const leavingMs = 20_000;

/** The chat in a terminal, until a person could type and until all is said that it says by itself; then it is left. */
export async function chatStart({ cwd, env }: Home): Promise<Run> {
  const cpuBefore = await childrenCpuMs();
  const began = systemClock.monotonic();
  const since = (): number => systemClock.monotonic() - began;
  await using screen = await startScreen(talaria, [], { cwd, env });
  const times = [screen.shows(prompt).then(since), screen.shows(banner).then(since)] as const;
  const [ms, saidMs] = await Promise.all(times).catch((error: unknown) => {
    console.error(String(error));
    return [Number.NaN, Number.NaN] as const;
  });
  const readyMs = Math.max(ms, saidMs);
  screen.press("ctrl+d");
  const exit = await Promise.race([screen.exited, systemClock.sleep(leavingMs)]);
  const done = exit?.code === 0 && !Number.isNaN(readyMs);
  if (!done) console.error(`The chat ended with ${JSON.stringify(exit)} and this screen:\n${screen.text()}`);
  return { ms, readyMs, cpuMs: (await childrenCpuMs()) - cpuBefore, done };
}
