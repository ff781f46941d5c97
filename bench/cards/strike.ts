import { systemClock } from "../../src/lib/clock.ts";
import { processesOf, processesWith } from "./processes.ts";

/** `command`: what the worker of a card runs; the worker itself is a session of the host on codex. */
export const victims = ["codex", "host", "command"] as const;
export type Victim = (typeof victims)[number];

/** `request`: of the model about this card; 0: since it was made. */
export type Strike = { readonly victim: Victim; readonly request: number; readonly plusMs: number };

/** `late`: the card was done by then. */
export type Struck = { readonly victim: Victim; readonly killed: boolean; readonly late: boolean };

type Scene = { readonly folder: string; readonly host: number; readonly card: string };

/** Kills it as soon as it is there. False: `isOver` came first. */
export async function strike(
  { victim }: Strike,
  scene: Scene,
  isOver: () => Promise<boolean>,
): Promise<boolean> {
  for (;;) {
    const pids = await pidsOf(victim, scene);
    if (pids.length > 0) return pids.map(kill).some(Boolean);
    if (await isOver()) return false;
    await systemClock.sleep(5, undefined, { hold: true });
  }
}

async function pidsOf(victim: Victim, { folder, host, card }: Scene): Promise<readonly number[]> {
  if (victim === "host") return [host];
  if (victim === "command") return (await processesWith(`echo ${card}-`)).map(({ pid }) => pid);
  return (await processesOf(folder))
    .filter(({ command }) => /codex.* app-server/.test(command))
    .map(({ pid }) => pid);
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    return false;
  }
}
