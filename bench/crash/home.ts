import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { check } from "./checker.ts";
import { type Disk, type EngineName, newDisk } from "./disk.ts";
import { brokenLog } from "./event-log.ts";
import { type EffectsFound, checkEffects, effectFile, effectsFile } from "./effects.ts";
import { type Follower, followerOf } from "./follower.ts";
import type { Job, Said } from "./job.ts";
import { type Kill, nothingSaid, runWorker } from "./run-worker.ts";

export type Lab = { readonly folder: string; readonly model: string; readonly engine: EngineName };

/** A home that goes through kills, and somebody who follows what happens in it. */
export type Home = AsyncDisposable & {
  /** `followed`: also while it runs, else only after it. */
  run(
    job: Partial<Job>,
    how?: { readonly kill?: Kill; readonly followed?: boolean },
  ): Promise<"ended" | "killed">;
  /** How many statements the store has seen in the last run that was not killed. */
  statements(): number;
  /** After a last start that is not killed. */
  settled(): Promise<Checked>;
};

export type Checked = EffectsFound & { readonly acked: number; readonly shown: number };

let homes = 0;

/** `change`: statements that make the schema of its store wrong. */
export async function newHome(lab: Lab, change: readonly string[] = []): Promise<Home> {
  homes += 1;
  const home = join(lab.folder, `home-${homes}`);
  const cwd = join(lab.folder, `work-${homes}`);
  const marker = `CRASH_${process.pid}_${homes}`;
  await mkdir(home, { mode: 0o700 });
  await mkdir(cwd);
  const job: Job = { home, cwd, model: lab.model, inputs: [], countFrom: "turns", marker };
  const disk = await newDisk(lab.engine, home, change);
  return { ...lifeOf(job, disk, followerOf(disk.place)), [Symbol.asyncDispose]: remove };

  async function remove(): Promise<void> {
    await disk[Symbol.asyncDispose]();
    for (const place of [home, cwd]) await rm(place, { recursive: true, force: true });
  }
}

/** On a server, events are read once none can come before them any more: what other homes just do there holds them back. */
const patienceMs = 10_000;

function lifeOf(job: Job, disk: Disk, follower: Follower): Omit<Home, keyof AsyncDisposable> {
  const said: Said = nothingSaid();
  const broken: string[] = [];
  /** The event log is whole, and whoever follows it goes on behind what it had read. */
  const readOn = async (whole: boolean): Promise<readonly string[]> => {
    const patient = systemClock.monotonic() + patienceMs;
    for (;;) {
      await follower.readOn();
      const wrong = await disk.look(async (rows) => [
        ...(await brokenLog(rows)),
        ...(await follower.broken(rows, whole)),
      ]);
      if (!whole || wrong.length === 0 || systemClock.monotonic() > patient) return wrong;
      await systemClock.sleep(100, undefined, { hold: true });
    }
  };
  return {
    async run(also, { kill, followed = false } = {}) {
      const watched = { ...(kill ? { kill } : {}), ...(followed ? { follower } : {}) };
      const fate = await runWorker({ ...job, ...also }, said, watched);
      // Before anything was said there may be no store yet.
      if (fate === "killed" && said.acked.length > 0)
        for (const line of await readOn(false)) broken.push(`right after a kill: ${line}`);
      return fate;
    },
    statements: () => said.statements ?? 0,
    async settled() {
      await runWorker(job, said);
      const { broken: unseen, ...effects } = await checkEffects(disk, job.cwd);
      const lines = [...(await check(disk, said, job.marker)), ...(await readOn(true))];
      const { acked, shown } = said;
      return {
        ...effects,
        broken: [...broken, ...lines, ...unseen],
        acked: acked.length,
        shown: shown.length,
      };
    },
  };
}

let inputs = 0;

/** A tool call and an answer each: one that reads, one that writes, and one that takes a while. The number makes each unique. */
export function threeInputs(): string[] {
  inputs += 3;
  const [read, write, run] = [inputs - 2, inputs - 1, inputs];
  return [
    `read notes-${read}.txt`,
    `write ${effectFile(write)}: ${write}`,
    `run echo ${run} >> ${effectsFile}; sleep 0.05`,
  ];
}
