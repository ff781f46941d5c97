import type { Bench, Outcome } from "../bench.ts";
import { heldMiB } from "../held.ts";
import { rounded } from "../medians.ts";
import { type Random, randomFrom } from "../random.ts";
import type { Kind } from "./faults.ts";
import { type Held, type Life, newLife } from "./life.ts";
import { slope } from "./slope.ts";

type Size = {
  readonly turns: number;
  readonly sessions: number;
  readonly restarts: number;
  /** Turns of a second life, in which each keeps something. */
  readonly leaking: number;
};

/** A day of turns in many sessions, with restarts and faults: what is used must not grow, and nothing may stay behind. */
export const bench: Bench<Size> = {
  sizes: {
    quick: { turns: 60, sessions: 8, restarts: 3, leaking: 0 },
    // One every ten seconds.
    full: { turns: 8640, sessions: 200, restarts: 50, leaking: 600 },
  },
  isSeeded: true,
  async run(size, { seed, log }) {
    await using life = await newLife(size.sessions);
    // What is loaded and made once is no growth.
    await life.open(async (own) => void (await life.turn(own, 0, "runs a command")));
    const before = await life.held();
    const lived = await live(life, size, randomFrom(seed), log);
    const after = await life.held();
    return outcome(size, lived, { before, after, leaky: await leak(size, seed, log) });
  },
};

/** Ten times what may be. */
const leakBytes = 10 * 1024;

/** What a leak looks like, by the same measure. */
async function leak(
  { leaking }: Size,
  seed: number,
  log: (line: string) => void,
): Promise<number | undefined> {
  if (leaking === 0) return undefined;
  await using life = await newLife(20);
  const kept: Buffer[] = [];
  const leaky: Life = {
    ...life,
    turn(...given) {
      kept.push(Buffer.alloc(leakBytes, kept.length));
      return life.turn(...given);
    },
  };
  const size = { turns: leaking, sessions: 20, restarts: 20, leaking: 0 };
  const { samples } = await live(leaky, size, randomFrom(seed), log);
  return kept.length === 0 ? undefined : slope(samples);
}

type Lived = {
  readonly ended: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
  /** After so many turns, so many MiB. */
  readonly samples: readonly (readonly [number, number])[];
};

const turnMs = 10_000;

async function live(
  life: Life,
  { turns, sessions, restarts }: Size,
  random: Random,
  log: (line: string) => void,
): Promise<Lived> {
  const samples: [number, number][] = [];
  const ended: Record<string, number> = {};
  const wrong: string[] = [];
  const perStart = Math.ceil(turns / restarts);
  for (let start = 1; start <= restarts; start += 1) {
    await life.open(async (own, attached) => {
      for (let turn = 0; turn < perStart; turn += 1) {
        const kind = kindOf(random);
        const outcomeOf = await life.turn(random.oneIn(2) ? own : attached, random.below(sessions), kind);
        ended[outcomeOf] = (ended[outcomeOf] ?? 0) + 1;
        if (outcomeOf !== expected[kind]) wrong.push(`a turn that ${kind} ended as ${outcomeOf}`);
        await life.clock.advance(turnMs);
      }
    });
    samples.push([start * perStart, heldMiB()]);
    log(`${start * perStart} turns: ${rounded(samples.at(-1)?.[1] ?? 0, 1)} MiB`);
  }
  return { ended, wrong, samples };
}

const expected: Readonly<Record<Kind, string>> = {
  answers: "done",
  "runs a command": "done",
  fails: "failed",
  throws: "failed",
  "ends without a word": "failed",
  "is stopped": "interrupted",
};

function kindOf(random: Random): Kind {
  if (random.oneIn(20)) return random.pick(["fails", "throws", "ends without a word", "is stopped"]);
  return random.oneIn(20) ? "runs a command" : "answers";
}

function outcome(
  { turns, restarts }: Size,
  { ended, wrong, samples }: Lived,
  {
    before,
    after,
    leaky,
  }: { readonly before: Held; readonly after: Held; readonly leaky: number | undefined },
): Outcome {
  const grown = slope(samples);
  const more = (Object.keys(before) as (keyof Held)[]).filter((what) => after[what] > before[what]);
  return {
    figures: {
      turns,
      restarts,
      ended,
      MiB: { first: rounded(samples[0]?.[1] ?? 0, 1), last: rounded(samples.at(-1)?.[1] ?? 0, 1) },
      before,
      after,
    },
    faults: [...wrong, ...more.map((what) => `${after[what]} ${what} at the end, ${before[what]} before`)],
    targets: {
      "MiB more for 1,000 turns": { is: rounded(grown), atMost: 1 },
      ...(leaky === undefined
        ? {}
        : { "the same with a leak of 10 KiB a turn": { is: rounded(leaky), atLeast: 5 } }),
    },
  };
}
