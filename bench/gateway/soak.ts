import { heldMiB } from "../held.ts";
import { rounded } from "../medians.ts";
import type { Random } from "../random.ts";
import { slope } from "../soak/slope.ts";
import { isQuiet } from "./records.ts";
import { type SoakWorld, newSoakWorld } from "./soak-world.ts";
import { type Verdict, countOf, verdictOf } from "./verdict.ts";

export type SoakSize = {
  readonly days: number;
  readonly chats: number;
  readonly messages: number;
  readonly restarts: number;
};

export type SoakReport = {
  readonly figures: object;
  readonly faults: readonly string[];
  /** MiB more for 1,000 turns. */
  readonly grown: number;
};

const dayMs = 24 * 60 * 60_000;
const mostSettling = 200;

/** Days in which people write in many chats, with faults of the platforms and restarts in the middle of everything. */
export async function soaked(
  size: SoakSize,
  random: Random,
  log: (line: string) => void,
): Promise<SoakReport> {
  await using world = await newSoakWorld(size.chats, random);
  const samples: [number, number][] = [];
  const perStart = Math.ceil(size.messages / size.restarts);
  const gapMs = (size.days * dayMs) / size.messages;
  let asked = 0;
  for (let start = 1; start <= size.restarts; start += 1) {
    await world.open(async () => {
      for (let left = perStart; left > 0;) left -= await someAsk(world, size, random, gapMs);
    });
    asked += perStart;
    samples.push([asked, heldMiB()]);
    log(`restart ${start}: ${asked} messages, ${rounded(samples.at(-1)?.[1] ?? 0, 1)} MiB`);
  }
  await world.open(() => settled(world));
  const records = world.records();
  const verdict = verdictOf(world.seen(), records);
  if (verdict.broken.length > 0) for (const line of world.logged) log(line);
  return { figures: figuresOf(size, world, verdict, samples), faults: verdict.broken, grown: slope(samples) };
}

/** Somebody writes, some of them several messages at once. Returns how many. */
async function someAsk(
  world: SoakWorld,
  { chats }: SoakSize,
  random: Random,
  gapMs: number,
): Promise<number> {
  const chat = random.below(chats);
  const many = random.oneIn(8) ? 2 + random.below(2) : 1;
  for (let left = many; left > 0; left -= 1) world.ask(chat);
  // Now and then the next one comes while this one is still being answered.
  await world.clock.advance(random.oneIn(10) ? 1000 : 2 * random.fraction() * gapMs * many);
  return many;
}

async function settled(world: SoakWorld): Promise<void> {
  for (let left = mostSettling; left > 0; left -= 1) {
    await world.clock.advance(30_000);
    if (isQuiet(world.records())) return;
  }
}

function figuresOf(
  { days, chats, restarts }: SoakSize,
  { faults }: SoakWorld,
  { broken, ...counts }: Verdict,
  samples: readonly (readonly [number, number])[],
): object {
  return {
    days,
    chats,
    restarts,
    ...counts,
    wentWrong: faults,
    lost: countOf({ broken }, "lost"),
    doubled: countOf({ broken }, "doubled"),
    misplaced: countOf({ broken }, "misplaced"),
    MiB: { first: rounded(samples[0]?.[1] ?? 0, 1), last: rounded(samples.at(-1)?.[1] ?? 0, 1) },
  };
}
