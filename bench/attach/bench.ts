import { talariaOnCodex } from "../../test/e2e/codex/codex-talaria.ts";
import { says, talariaOn } from "../../test/e2e/endpoint.ts";
import type { Talaria } from "../../test/e2e/talaria.ts";
import type { Bench, Outcome } from "../bench.ts";
import { median, rounded } from "../medians.ts";
import { type Killed, killAtFrame } from "./killed-host.ts";
import { type Times, attachedTimes } from "./times.ts";

type Size = {
  /** Of the loop: at which lines the host is killed; none said: at every one. */
  readonly lines?: readonly number[];
  /** Hosts with the real codex that are killed. */
  readonly codex: number;
  /** Runs that are timed; 0: none. */
  readonly runs: number;
};

/** Kills the host of an attached message at every line it says, and compares what attaching costs. */
export const bench: Bench<Size> = {
  sizes: { quick: { lines: [9], codex: 0, runs: 0 }, full: { codex: 40, runs: 15 } },
  flags: ["part"],
  isTimed: true,
  async run({ lines, codex, runs }, { flags, log }) {
    const wants = (part: string): boolean => flags["part"] === undefined || flags["part"] === part;
    const loop = wants("loop") ? await killOnLoop(lines ?? everyLine(), log) : [];
    const real = wants("codex") && codex > 0 ? await killSome(codex, log) : [];
    const times = runs > 0 && wants("times") ? await attachedTimes(runs, log) : undefined;
    return outcome(loop, real, times);
  },
};

const script = [says("An answer."), says("Another one."), says("One more.")];
const unaccounted = { unaccounted: "what a killed host had asked for is nobody's to count" };
const onLoop = (): Promise<Talaria> => talariaOn(script, unaccounted);

function* everyLine(): Generator<number, void, void> {
  for (let at = 1; ; at += 1) yield at;
}

/** Until the host has nothing more to say. The line itself arrives, or it does not. */
async function killOnLoop(lines: Iterable<number>, log: (line: string) => void): Promise<readonly Killed[]> {
  const all: Killed[] = [];
  for (const at of lines) {
    for (const arrives of [false, true]) {
      await using it = await onLoop();
      all.push(await killAtFrame(it, at, arrives));
      log(`killed at ${at}: ${JSON.stringify(all.at(-1))}`);
    }
    if (all.at(-1)?.wasKilled === false) return all;
  }
  return all;
}

async function killSome(count: number, log: (line: string) => void): Promise<readonly Killed[]> {
  const all: Killed[] = [];
  for (let at = 1; killedOf(all) < count; at += 1) {
    await using it = await talariaOnCodex(script);
    const killed = await killAtFrame(it, at, at % 2 === 0, ["--runtime", "codex"]);
    log(`codex, killed at ${at}: ${JSON.stringify(killed)}`);
    all.push(killed);
    if (!killed.wasKilled) at = 0;
  }
  return all;
}

function outcome(loop: readonly Killed[], codex: readonly Killed[], times: Times | undefined): Outcome {
  const all = [...loop, ...codex];
  const told = all.map(({ toldMs }) => toldMs).filter((ms) => !Number.isNaN(ms));
  const slowest = told.length === 0 ? Number.NaN : Math.max(...told);
  return {
    figures: {
      hostsKilled: { loop: killedOf(loop), codex: killedOf(codex) },
      toldMs: { median: rounded(median(told), 0), most: rounded(slowest, 0), of: told.length },
      ...(times === undefined ? {} : { times }),
    },
    faults: all.flatMap(({ faults, frames }) => faults.map((fault) => `at line ${frames}: ${fault}`)),
    targets: {
      ...(told.length === 0
        ? {}
        : { "ms until the client says that the host has gone": { is: slowest, atMost: 2000 } }),
      ...(times === undefined ? {} : targetsOf(times)),
    },
  };
}

const killedOf = (all: readonly Killed[]): number => all.filter(({ wasKilled }) => wasKilled).length;

const targetsOf = ({ loopRatio, codexRatio, warmMoreMs }: Times): NonNullable<Outcome["targets"]> => ({
  "attached run on the loop, in node -e 0": { is: loopRatio, atMost: 3 },
  "attached run on codex, in codex exec": { is: codexRatio, atMost: 0.5 },
  "ms that a warm turn takes longer attached": { is: warmMoreMs, atMost: 3 },
});
