import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { startDemoModel } from "../../src/models/demo/server.ts";
import { check } from "./checker.ts";
import type { Job } from "./job.ts";
import { nothingSaid, runWorker } from "./run-worker.ts";

export type CrashSize = {
  readonly seed: number;
  /** Real SIGKILLs at random moments. */
  readonly randomKills: number;
  /** 1: every statement of the turns; 4: every fourth. */
  readonly everyStatement: number;
  /** The statement at which the search for the mutant begins. */
  readonly mutantFrom: number;
};

export type CrashReport = {
  readonly seed: number;
  readonly randomKills: number;
  /** Statements of the scenario, and how many of them a worker was killed at (before and after each counts twice). */
  readonly statements: number;
  readonly statementKills: number;
  readonly reconcilerKills: number;
  readonly acked: number;
  readonly shown: number;
  readonly broken: readonly string[];
  /** What the checker said of the mutant; empty means that the checker is blind. */
  readonly mutantBroken: readonly string[];
};

type Lab = { readonly folder: string; readonly model: string; readonly cache: string; readonly cwd: string };

/** Kills workers at random moments and at every store statement of a turn, and checks the disk after each restart. */
export async function crashRun(size: CrashSize, log: (line: string) => void): Promise<CrashReport> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-crash-"));
  await using model = await startDemoModel({ clock: systemClock });
  try {
    const lab = { folder, model: model.url, cache: join(folder, "cache"), cwd: join(folder, "work") };
    await mkdir(lab.cwd);
    await writeFile(join(lab.cwd, "notes.txt"), "the crash bench was here\n");
    const random = await randomKills(lab, size, log);
    const exact = await statementKills(lab, size, log);
    const mutantBroken = await mutantRun(lab, range(size.mutantFrom, exact.statements, 1), log);
    return {
      seed: size.seed,
      randomKills: random.kills,
      statements: exact.statements,
      statementKills: exact.kills,
      reconcilerKills: exact.reconcilerKills,
      acked: random.acked + exact.acked,
      shown: random.shown + exact.shown,
      broken: [...random.broken, ...exact.broken],
      mutantBroken,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

let homes = 0;
let inputs = 0;

/** A tool call and an answer each; the number makes the text unique. */
const threeInputs = (): string[] => [1, 2, 3].map(() => `read notes.txt please, number ${(inputs += 1)}`);

async function newJob(lab: Lab): Promise<Job> {
  homes += 1;
  const marker = `CRASH_${process.pid}_${homes}`;
  const home = join(lab.folder, `home-${homes}`);
  await mkdir(home, { mode: 0o700 });
  return { home, cwd: lab.cwd, model: lab.model, inputs: threeInputs(), countFrom: "turns", marker };
}

/** One home that goes through all the kills, so that damage would add up. */
async function randomKills(lab: Lab, size: CrashSize, log: (line: string) => void): Promise<Tally> {
  const random = generator(size.seed);
  const job = await newJob(lab);
  const said = nothingSaid();
  const tally = { kills: 0, acked: 0, shown: 0, broken: [] as string[] };
  for (let tries = 0; tally.kills < size.randomKills && tries < size.randomKills * 3; tries += 1) {
    const kill = { afterLines: Math.floor(random() * 14), plusMs: random() * (random() < 0.3 ? 400 : 12) };
    const fate = await runWorker({ ...job, inputs: threeInputs() }, said, lab.cache, kill);
    if (fate === "killed") tally.kills += 1;
    if (fate === "killed" && tally.kills % 25 === 0) log(`${tally.kills} random kills`);
  }
  await runWorker({ ...job, inputs: [] }, said, lab.cache);
  tally.broken.push(...(await check(job.home, said, job.marker)));
  return { ...tally, acked: said.acked.length, shown: said.shown.length };
}

type Tally = { kills: number; acked: number; shown: number; broken: readonly string[] };

/** A fresh home for each statement: killed there, killed again while it repairs itself, then left to finish. */
async function statementKills(
  lab: Lab,
  size: CrashSize,
  log: (line: string) => void,
): Promise<Tally & { statements: number; reconcilerKills: number }> {
  const said = nothingSaid();
  const measured = await newJob(lab);
  await runWorker(measured, said, lab.cache);
  const statements = said.statements ?? 0;
  const points = range(1, statements, size.everyStatement).flatMap((statement) =>
    (["before", "after"] as const).map((when) => ({ statement, when })),
  );
  const tally = { kills: 0, reconcilerKills: 0, acked: 0, shown: 0, broken: [] as string[] };
  await inParallel(points, 2, async (crashAt, at) => {
    const job = await newJob(lab);
    const heard = nothingSaid();
    if ((await runWorker({ ...job, crashAt }, heard, lab.cache)) === "killed") tally.kills += 1;
    const again: Job = {
      ...job,
      inputs: [],
      countFrom: "start",
      crashAt: { statement: 1 + (at % 40), when: "after" },
    };
    if ((await runWorker(again, heard, lab.cache)) === "killed") tally.reconcilerKills += 1;
    await runWorker({ ...job, inputs: [] }, heard, lab.cache);
    const broken = await check(job.home, heard, job.marker);
    tally.broken.push(...broken.map((line) => `${crashAt.when} statement ${crashAt.statement}: ${line}`));
    tally.acked += heard.acked.length;
    tally.shown += heard.shown.length;
    await rm(job.home, { recursive: true, force: true });
  });
  log(`${tally.kills} kills at ${statements} statements, ${tally.reconcilerKills} while repairing`);
  return { ...tally, statements };
}

/** The same with one deliberate fault: acknowledging before the commit. The first broken line is enough. */
async function mutantRun(
  lab: Lab,
  statements: readonly number[],
  log: (line: string) => void,
): Promise<readonly string[]> {
  for (const statement of statements) {
    const job: Job = {
      ...(await newJob(lab)),
      mutant: "ack-before-commit",
      crashAt: { statement, when: "before" },
    };
    const said = nothingSaid();
    await runWorker(job, said, lab.cache);
    await runWorker(
      { home: job.home, cwd: job.cwd, model: job.model, inputs: [], countFrom: "turns", marker: job.marker },
      said,
      lab.cache,
    );
    const broken = await check(job.home, said, job.marker);
    if (broken.length === 0) continue;
    log(`the mutant was caught at statement ${statement}: ${broken[0]}`);
    return broken;
  }
  return [];
}

const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.max(0, Math.floor((to - from) / step) + 1) }, (_, at) => from + at * step);

async function inParallel<T>(
  all: readonly T[],
  width: number,
  job: (one: T, at: number) => Promise<void>,
): Promise<void> {
  const queue = [...all.entries()];
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await job(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Numbers from a seed, so that a failing run can be repeated. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
