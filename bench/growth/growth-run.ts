import { join } from "node:path";
import { tempFolder } from "../../test/temp-folder.ts";
import { median } from "../medians.ts";
import { corpus } from "../search/corpus.ts";
import { samplesIn } from "../search/run.ts";
import type { Shape } from "./fill.ts";
import { homeOf, seed, textsIn } from "./homes.ts";
import { type Side, type Task, startSide } from "./side.ts";

export type GrowthSize = {
  /** The homes that have grown, each in one way. */
  readonly grown: Readonly<Record<"turns" | "sessions" | "messages", Shape>>;
  readonly fresh: Shape;
  readonly rounds: number;
  readonly perRound: number;
  readonly starts: number;
  /** Sessions, and turns of one session, over which the memory of a process is looked at. */
  readonly memory: { readonly sessions: number; readonly turns: number };
  readonly search: { readonly queries: number; readonly rounds: number };
};

/** Grown against fresh, medians in one run. */
export type Grown = {
  readonly start: number;
  readonly resume: number;
  readonly lists: number;
  readonly loopTurn: number;
  readonly codexLikeTurn: number;
};

type Way = readonly [keyof Grown, Task];

const ways = (perRound: number): readonly Way[] => [
  ["loopTurn", { do: "turns", count: perRound, runtime: "loop" }],
  ["codexLikeTurn", { do: "turns", count: perRound, runtime: "keeps" }],
  ["lists", { do: "lists", count: 4 * perRound }],
];

export async function compareHomes(grown: Shape, size: GrowthSize): Promise<Grown> {
  await using folder = await tempFolder();
  const homes = { fresh: join(folder.path, "fresh"), grown: join(folder.path, "grown") };
  await homeOf(size.fresh, homes.fresh);
  await homeOf(grown, homes.grown);
  const starts = await compareStarts(homes, size.starts);
  await using fresh = await startSide(homes.fresh);
  await using other = await startSide(homes.grown);
  const times = new Map(
    ways(size.perRound).map(([name]) => [name, { fresh: [] as number[], grown: [] as number[] }]),
  );
  const sides = { fresh, grown: other };
  for (let round = 0; round <= size.rounds; round += 1) {
    for (const [name, task] of ways(size.perRound)) {
      for (const which of inTurn(round)) {
        const { ms } = await sides[which].tell(task);
        if (round > 0) times.get(name)?.[which].push(...ms); // the first one warms up
      }
    }
  }
  const ratio = (name: keyof Grown): number => {
    const { fresh: before = [], grown: now = [] } = times.get(name) ?? {};
    return median(now) / median(before);
  };
  return {
    ...starts,
    loopTurn: ratio("loopTurn"),
    codexLikeTurn: ratio("codexLikeTurn"),
    lists: ratio("lists"),
  };
}

/** Each is first in turn. */
const inTurn = (round: number) =>
  round % 2 === 0 ? (["grown", "fresh"] as const) : (["fresh", "grown"] as const);

/**
 * A process from nothing to an open host, and on to the end of a turn in the session that was there, whose end a terminal
 * has shown first.
 */
async function compareStarts(
  homes: Readonly<Record<"fresh" | "grown", string>>,
  count: number,
): Promise<Pick<Grown, "start" | "resume">> {
  const first: Task = { do: "turns", count: 1, runtime: "loop" };
  const times = { fresh: [] as Opening[], grown: [] as Opening[] };
  for (let n = 0; n <= count; n += 1) {
    for (const which of inTurn(n)) {
      await using side = await startSide(homes[which]);
      const [screenMs = Number.NaN] = (await side.tell({ do: "screen" })).ms;
      const [turnMs = Number.NaN] = (await side.tell(first)).ms;
      if (n > 0) times[which].push({ openMs: side.openMs, resumedMs: side.openMs + screenMs + turnMs });
    }
  }
  const ratio = (of: keyof Opening): number =>
    median(times.grown.map((one) => one[of])) / median(times.fresh.map((one) => one[of]));
  return { start: ratio("openMs"), resume: ratio("resumedMs") };
}

type Opening = { readonly openMs: number; readonly resumedMs: number };

export type Memory = { readonly rssMiB: number; readonly heapMiB: number };

export type Living = Omit<Extract<Task, { do: "turns" }>, "do" | "count">;

/** What a process has grown by, after a beginning that every process has: compiled code, and V8's room for what is new. */
export async function memoryOver(
  fresh: Shape,
  count: number,
  how: Living,
): Promise<{ readonly before: Memory; readonly after: Memory }> {
  await using folder = await tempFolder();
  const home = join(folder.path, "home");
  await homeOf(fresh, home);
  await using side = await startSide(home);
  await side.tell({ do: "turns", count: Math.min(beginning, count), ...how });
  const before = await memoryOf(side);
  await side.tell({ do: "turns", count, ...how });
  return { before, after: await memoryOf(side) };
}

const beginning = 500;

async function memoryOf(side: Side): Promise<Memory> {
  const { rssMiB = Number.NaN, heapMiB = Number.NaN } = await side.tell({ do: "memory" });
  return { rssMiB, heapMiB };
}

/** Search in the home with most messages, against the bare query. */
export async function searchRatio(
  size: GrowthSize,
): Promise<{ readonly ratio: number; readonly different: number }> {
  await using folder = await tempFolder();
  const home = join(folder.path, "home");
  await homeOf(size.grown.messages, home);
  const path = join(home, "talaria.db");
  const samples = await samplesIn(path, corpus(seed), textsIn(path, 2000), size.search);
  return {
    ratio: median(samples.map(({ storeMs, rawMs }) => storeMs / rawMs)),
    different: samples.filter(({ rawHits, storeHits }) => rawHits.join() !== storeHits.join()).length,
  };
}
