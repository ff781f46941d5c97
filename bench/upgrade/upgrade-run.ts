import { copyFile, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, spawnChild } from "../../src/lib/process/child.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { ownSources } from "../own-child.ts";
import { randomFrom } from "../random.ts";
import { largeOldStore, lookedAt, schemaOf, wrongs } from "./world.ts";

export type UpgradeSize = {
  /** How many more messages the old store has. */
  readonly messages: number;
  /** Before and after every statement, or at so many of these moments. */
  readonly statements: number | "every";
  readonly randomKills: number;
};

export type UpgradeReport = {
  readonly statements: number;
  readonly statementKills: number;
  /** In the middle of the upgrade: it had begun, and had not said that it was done. */
  readonly randomKills: number;
  /** Kills after which the store was old still, and after which it was new. */
  readonly leftOld: number;
  readonly leftNew: number;
  /** Processes that began at the same moment as one that was killed, and had to finish. */
  readonly besides: number;
  readonly broken: readonly string[];
};

/** Kills the upgrade of the home of version 12 at every statement and at random moments, looks, and starts it again. */
export async function upgradeRun(
  size: UpgradeSize,
  seed: number,
  log: (line: string) => void,
): Promise<UpgradeReport> {
  await using folder = await tempFolder();
  const original = join(folder.path, "original.db");
  largeOldStore(original, size.messages);
  const before = lookedAt(original);
  const home = join(folder.path, "home", "talaria.db");
  const whole = await unkilled(original, home);
  const random = randomFrom(seed);
  const tally = { statementKills: 0, randomKills: 0, leftOld: 0, leftNew: 0, besides: 0 };
  const broken: string[] = [];

  async function kill(name: string, start: () => Promise<boolean>): Promise<boolean> {
    await fresh(original, home);
    if (!(await start())) return false;
    const isOld = schemaOf(home).join() === before.schema.join();
    tally[isOld ? "leftOld" : "leftNew"] += 1;
    broken.push(...wrongs(home, before, whole.schema, false).map((line) => `${name}: ${line}`));
    await ended(await worker(home));
    broken.push(...wrongs(home, before, whole.schema, true).map((line) => `${name}, started again: ${line}`));
    return true;
  }

  const every = Array.from({ length: whole.statements }, (_, at) => at + 1).flatMap((at) =>
    ["before", "after"].map((when) => ({ at, when })),
  );
  const points = size.statements === "every" ? every : spread(every, size.statements);
  for (const { at, when } of points) {
    const killed = await kill(`${when} statement ${at}`, async () => {
      return (await ended(await worker(home, String(at), when))).killed;
    });
    if (killed) tally.statementKills += 1;
  }
  log(`${tally.statementKills} kills at ${whole.statements} statements`);
  let lastMs = whole.ms;
  for (let tries = 0; tally.randomKills < size.randomKills && tries < size.randomKills * 8; tries += 1) {
    const killed = await kill(`random kill ${tries}`, async () => {
      const others = tries % 3 === 0 ? [await worker(home)] : [];
      const child = await worker(home);
      const [end] = await Promise.all([
        ended(child, random.fraction() * lastMs),
        ...others.map((other) => ended(other)),
      ]);
      tally.besides += others.length;
      // A machine that others work on is now slower, now faster.
      if (!end.killed && others.length === 0) lastMs = end.ms;
      return end.killed && !end.upgraded;
    });
    if (killed) tally.randomKills += 1;
  }
  log(`${tally.randomKills} random kills`);
  return { statements: whole.statements, ...tally, broken };
}

/** How long it takes, how many statements it has, and what comes of it. */
async function unkilled(original: string, home: string) {
  await fresh(original, home);
  const child = await worker(home);
  const { statements, ms } = await ended(child);
  return { statements, ms, schema: schemaOf(home) };
}

async function fresh(original: string, home: string): Promise<void> {
  await rm(dirname(home), { recursive: true, force: true });
  await mkdir(dirname(home));
  await copyFile(original, home);
}

const workerFile = fileURLToPath(new URL("worker.child.ts", import.meta.url));

const worker = (home: string, ...crashAt: readonly string[]): Promise<Child> =>
  spawnChild({
    command: process.execPath,
    args: [...ownSources, workerFile, home, ...crashAt],
    cwd: dirname(home),
    env: { PATH: process.env["PATH"] ?? "" },
    kind: "upgrade-bench-worker",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });

/** `ms`: from the begin of the upgrade until it was done. `upgraded`: it was done. */
type End = {
  readonly killed: boolean;
  readonly upgraded: boolean;
  readonly statements: number;
  readonly ms: number;
};

/** `killAfterMs`: counted from when it begins to upgrade. */
async function ended(child: Child, killAfterMs?: number): Promise<End> {
  let statements = 0;
  let [began, done] = [0, 0];
  for await (const line of lines(child.stdout)) {
    const fact = JSON.parse(line) as Fact;
    statements = fact.statements ?? statements;
    if (fact.upgraded === true) done = systemClock.monotonic();
    if (fact.begun !== true) continue;
    began = systemClock.monotonic();
    if (killAfterMs !== undefined) void killLater(child, killAfterMs);
  }
  const { signal, code, stderrTail } = await child.exited;
  if (signal !== "SIGKILL" && code !== 0) throw new Error(`worker ended with ${code}: ${stderrTail}`);
  return { killed: signal === "SIGKILL", upgraded: done > 0, statements, ms: Math.max(0, done - began) };
}

type Fact = { readonly begun?: true; readonly upgraded?: true; readonly statements?: number };

async function killLater(child: Child, afterMs: number): Promise<void> {
  await systemClock.sleep(afterMs, undefined, { hold: true });
  try {
    process.kill(child.pid, "SIGKILL");
  } catch {
    // It was faster.
  }
}

const spread = <T>(values: readonly T[], count: number): readonly T[] =>
  values.filter((_, at) => at % Math.ceil(values.length / count) === 0);
