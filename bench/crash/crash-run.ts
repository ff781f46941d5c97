import { systemClock } from "../../src/lib/clock.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { randomFrom } from "../random.ts";
import type { EngineName } from "./disk.ts";
import { type Checked, type Lab, newHome, threeInputs } from "./home.ts";
import type { Job, LogMutant, Mutant, StoreMutant } from "./job.ts";
import { logMutants } from "./mutants.ts";

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

/** Kills workers at random moments and at every store statement of a turn, and checks the disk after each restart. */
export async function crashRun(
  engine: EngineName,
  size: CrashSize,
  seed: number,
  log: (line: string) => void,
): Promise<CrashReport> {
  await using folder = await tempFolder();
  await using model = await startDemoModel({ clock: systemClock });
  const lab = { folder: folder.path, model: model.url, engine };
  const [random, exact, inCall] = await Promise.all([
    randomKills(lab, size.randomKills, seed, log),
    statementKills(lab, size.statements, log),
    effectKill(lab),
  ]);
  const statements = range(size.mutantFrom, exact.statements);
  const [early, silent, unlogged, twice] = await Promise.all([
    firstBroken(lab, "ack-before-commit", statements.map(before), log),
    firstBroken(lab, "call-before-row", ["effect"], log),
    brokenWith(lab, "item-not-logged", log),
    brokenWith(lab, "item-logged-twice", log),
  ]);
  const mutantBroken = {
    "ack-before-commit": early,
    "call-before-row": silent,
    "item-not-logged": unlogged,
    "item-logged-twice": twice,
  };
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
}

type Tally = Checked & { readonly kills: number };

/** One home that goes through all the kills, so that damage would add up. */
async function randomKills(
  lab: Lab,
  wanted: number,
  seed: number,
  log: (line: string) => void,
): Promise<Tally> {
  const { below, fraction } = randomFrom(seed);
  await using home = await newHome(lab);
  let kills = 0;
  for (let tries = 0; kills < wanted && tries < wanted * 3; tries += 1) {
    const kill = { afterLines: below(14), plusMs: fraction() * (fraction() < 0.3 ? 400 : 12) };
    const fate = await home.run({ inputs: threeInputs() }, { kill, followed: fraction() < 0.5 });
    if (fate === "killed") kills += 1;
    if (fate === "killed" && kills % 25 === 0) log(`${kills} random kills`);
  }
  return { ...(await home.settled()), kills };
}

/** Killed in the middle of a call for certain. */
async function effectKill(lab: Lab): Promise<Checked> {
  await using home = await newHome(lab);
  await home.run({ inputs: threeInputs(), crashAt: "effect" });
  return await home.settled();
}

/** A fresh home for each statement: killed there, killed again while it repairs itself, then left to finish. */
async function statementKills(
  lab: Lab,
  wanted: CrashSize["statements"],
  log: (line: string) => void,
): Promise<Tally & { statements: number; reconcilerKills: number }> {
  const statements = await countStatements(lab);
  const every = range(1, statements).flatMap((statement) =>
    (["before", "after"] as const).map((when) => ({ statement, when })),
  );
  const points = wanted === "every" ? every : spread(every, wanted);
  const tally = { kills: 0, reconcilerKills: 0, acked: 0, shown: 0, effects: 0, cutOff: 0 };
  const broken: string[] = [];
  await inParallel(points, 2, async (crashAt, at) => {
    await using home = await newHome(lab);
    const followed = at % 2 === 0;
    const killAt = (point: typeof crashAt) =>
      home.run({ inputs: threeInputs(), crashAt: point }, { followed });
    let fate = await killAt(crashAt);
    // A database that had to do a transaction again while they were counted has fewer of them now.
    if (fate === "ended") fate = await killAt({ ...crashAt, statement: Math.ceil(home.statements() / 2) });
    if (fate === "killed") tally.kills += 1;
    const again = { statement: 1 + (at % 40), when: "after" } as const;
    if ((await home.run({ countFrom: "start", crashAt: again })) === "killed") tally.reconcilerKills += 1;
    const found = await home.settled();
    broken.push(...found.broken.map((line) => `${crashAt.when} statement ${crashAt.statement}: ${line}`));
    for (const key of ["acked", "shown", "effects", "cutOff"] as const) tally[key] += found[key];
  });
  log(`${tally.kills} kills at ${statements} statements, ${tally.reconcilerKills} while repairing`);
  return { ...tally, broken, statements };
}

async function countStatements(lab: Lab): Promise<number> {
  await using home = await newHome(lab);
  await home.run({ inputs: threeInputs() });
  return home.statements();
}

/** The same with one deliberate fault. The first broken line is enough. */
async function firstBroken(
  lab: Lab,
  mutant: StoreMutant,
  points: readonly Job["crashAt"][],
  log: (line: string) => void,
): Promise<readonly string[]> {
  for (const crashAt of points) {
    await using home = await newHome(lab);
    await home.run({ inputs: threeInputs(), mutant, ...(crashAt ? { crashAt } : {}) });
    const { broken } = await home.settled();
    if (broken.length === 0) continue;
    log(`${mutant} was caught at ${JSON.stringify(crashAt)}: ${broken[0]}`);
    return broken;
  }
  return [];
}

/** What is said of a home whose database logs what it should not, or does not log what it should. */
async function brokenWith(
  lab: Lab,
  mutant: LogMutant,
  log: (line: string) => void,
): Promise<readonly string[]> {
  await using home = await newHome(lab, logMutants[mutant]);
  await home.run({ inputs: threeInputs() });
  const { broken } = await home.settled();
  const noticed = broken.filter((line) => line.startsWith("event log: an item is not there once"));
  if (noticed.length > 0) log(`${mutant} was caught: ${noticed[0]}`);
  return noticed;
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
