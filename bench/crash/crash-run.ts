import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { newFolder } from "../../test/temp-folder.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { randomFrom } from "../random.ts";
import { check } from "./checker.ts";
import { checkEffects, effectFile, effectsFile, type EffectsFound } from "./effects.ts";
import type { Job, Mutant, Said } from "./job.ts";
import { nothingSaid, runWorker } from "./run-worker.ts";

export type CrashSize = {
  /** Real SIGKILLs at random moments. */
  readonly randomKills: number;
  /** Before and after every statement of the turns, or at so many of these moments. */
  readonly statements: number | "every";
  /** The statement at which the search for the mutant begins. */
  readonly mutantFrom: number;
};

export type CrashReport = {
  readonly randomKills: number;
  /** Statements of the scenario, and how many of them a worker was killed at (before and after each counts twice). */
  readonly statements: number;
  readonly statementKills: number;
  readonly reconcilerKills: number;
  readonly acked: number;
  readonly shown: number;
  /** Effects of calls that are there, and how many calls were found cut off in the middle. */
  readonly effects: number;
  readonly cutOff: number;
  readonly broken: readonly string[];
  /** What the checker said of each mutant; empty means that the checker is blind. */
  readonly mutantBroken: Readonly<Record<Mutant, readonly string[]>>;
};

type Lab = { readonly folder: string; readonly model: string };

/** Kills workers at random moments and at every store statement of a turn, and checks the disk after each restart. */
export async function crashRun(
  size: CrashSize,
  seed: number,
  log: (line: string) => void,
): Promise<CrashReport> {
  const folder = await newFolder();
  await using model = await startDemoModel({ clock: systemClock });
  try {
    const lab = { folder, model: model.url };
    const [random, exact, inCall] = await Promise.all([
      randomKills(lab, size.randomKills, seed, log),
      statementKills(lab, size.statements, log),
      effectKill(lab),
    ]);
    const statements = range(size.mutantFrom, exact.statements);
    const [early, silent] = await Promise.all([
      mutantRun(lab, "ack-before-commit", statements.map(before), log),
      mutantRun(lab, "call-before-row", ["effect"], log),
    ]);
    const mutantBroken = { "ack-before-commit": early, "call-before-row": silent };
    const all = [random, exact, inCall];
    const sum = (of: "acked" | "shown" | "effects" | "cutOff"): number =>
      all.reduce((total, tally) => total + tally[of], 0);
    return {
      randomKills: random.kills,
      statements: exact.statements,
      statementKills: exact.kills,
      reconcilerKills: exact.reconcilerKills,
      acked: sum("acked"),
      shown: sum("shown"),
      effects: sum("effects"),
      cutOff: sum("cutOff"),
      broken: all.flatMap(({ broken }) => broken),
      mutantBroken,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

let homes = 0;
let inputs = 0;

/** A tool call and an answer each: one that reads, one that writes, and one that takes a while. The number makes each unique. */
function threeInputs(): string[] {
  inputs += 3;
  const [read, write, run] = [inputs - 2, inputs - 1, inputs];
  return [
    `read notes-${read}.txt`,
    `write ${effectFile(write)}: ${write}`,
    `run echo ${run} >> ${effectsFile}; sleep 0.05`,
  ];
}

async function newJob(lab: Lab): Promise<Job> {
  homes += 1;
  const marker = `CRASH_${process.pid}_${homes}`;
  const home = join(lab.folder, `home-${homes}`);
  const cwd = join(lab.folder, `work-${homes}`);
  await mkdir(home, { mode: 0o700 });
  await mkdir(cwd);
  return { home, cwd, model: lab.model, inputs: threeInputs(), countFrom: "turns", marker };
}

/** One home that goes through all the kills, so that damage would add up. */
async function randomKills(
  lab: Lab,
  wanted: number,
  seed: number,
  log: (line: string) => void,
): Promise<Tally> {
  const { below, fraction } = randomFrom(seed);
  const job = await newJob(lab);
  const said = nothingSaid();
  let kills = 0;
  for (let tries = 0; kills < wanted && tries < wanted * 3; tries += 1) {
    const kill = { afterLines: below(14), plusMs: fraction() * (fraction() < 0.3 ? 400 : 12) };
    const fate = await runWorker({ ...job, inputs: threeInputs() }, said, kill);
    if (fate === "killed") kills += 1;
    if (fate === "killed" && kills % 25 === 0) log(`${kills} random kills`);
  }
  return { ...(await settled(job, said)), kills };
}

type Tally = Checked & { readonly kills: number };
type Checked = EffectsFound & { readonly acked: number; readonly shown: number };

/** After a last start that is not killed. */
async function settled(job: Job, said: Said): Promise<Checked> {
  const { crashAt: _crashAt, mutant: _mutant, ...rest } = job;
  await runWorker({ ...rest, inputs: [] }, said);
  const { broken, ...seen } = checkEffects(job);
  const lines = await check(job.home, said, job.marker);
  const { acked, shown } = said;
  return { ...seen, broken: [...lines, ...broken], acked: acked.length, shown: shown.length };
}

/** Killed in the middle of a call for certain. */
async function effectKill(lab: Lab): Promise<Checked> {
  const job: Job = { ...(await newJob(lab)), crashAt: "effect" };
  const said = nothingSaid();
  await runWorker(job, said);
  return settled(job, said);
}

/** A fresh home for each statement: killed there, killed again while it repairs itself, then left to finish. */
async function statementKills(
  lab: Lab,
  wanted: CrashSize["statements"],
  log: (line: string) => void,
): Promise<Tally & { statements: number; reconcilerKills: number }> {
  const said = nothingSaid();
  const measured = await newJob(lab);
  await runWorker(measured, said);
  const statements = said.statements ?? 0;
  const every = range(1, statements).flatMap((statement) =>
    (["before", "after"] as const).map((when) => ({ statement, when })),
  );
  const points = wanted === "every" ? every : spread(every, wanted);
  const tally = { kills: 0, reconcilerKills: 0, acked: 0, shown: 0, effects: 0, cutOff: 0 };
  const broken: string[] = [];
  await inParallel(points, 2, async (crashAt, at) => {
    const job = await newJob(lab);
    const heard = nothingSaid();
    if ((await runWorker({ ...job, crashAt }, heard)) === "killed") tally.kills += 1;
    const again: Job = {
      ...job,
      inputs: [],
      countFrom: "start",
      crashAt: { statement: 1 + (at % 40), when: "after" },
    };
    if ((await runWorker(again, heard)) === "killed") tally.reconcilerKills += 1;
    const found = await settled(job, heard);
    broken.push(...found.broken.map((line) => `${crashAt.when} statement ${crashAt.statement}: ${line}`));
    for (const key of ["acked", "shown", "effects", "cutOff"] as const) tally[key] += found[key];
    for (const place of [job.home, job.cwd]) await rm(place, { recursive: true, force: true });
  });
  log(`${tally.kills} kills at ${statements} statements, ${tally.reconcilerKills} while repairing`);
  return { ...tally, broken, statements };
}

/** The same with one deliberate fault. The first broken line is enough. */
async function mutantRun(
  lab: Lab,
  mutant: Mutant,
  points: readonly NonNullable<Job["crashAt"]>[],
  log: (line: string) => void,
): Promise<readonly string[]> {
  for (const crashAt of points) {
    const job: Job = { ...(await newJob(lab)), mutant, crashAt };
    const said = nothingSaid();
    await runWorker(job, said);
    const { broken } = await settled(job, said);
    if (broken.length === 0) continue;
    log(`${mutant} was caught at ${JSON.stringify(crashAt)}: ${broken[0]}`);
    return broken;
  }
  return [];
}

const before = (statement: number): Job["crashAt"] & object => ({ statement, when: "before" });

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);

/** So many of them, from all parts of the list. */
const spread = <T>(all: readonly T[], count: number): readonly T[] =>
  Array.from({ length: count }, (_, at) => all[Math.floor(((at + 0.5) * all.length) / count)] as T);

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
