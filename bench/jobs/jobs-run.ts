import type { Card, CardDetails, CardId, CardRunId } from "../../src/core/cards/cards.ts";
import type { Store } from "../../src/store/store.ts";
import { type Cards, cardsOf } from "../../src/work/index.ts";
import { type Random, randomFrom } from "../random.ts";
import type { Faulty } from "./mutants.ts";
import { type Said, broken, wrongState } from "./rules.ts";
import { type Word, othersWord, ownerOf, person, ttlMs, workersWord } from "./words.ts";

export type JobsSize = { readonly workers: number; readonly cards: number; readonly operations: number };

export type JobsReport = {
  readonly operations: number;
  readonly fates: Readonly<Record<string, number>>;
  readonly killed: number;
  readonly claims: number;
  readonly jumps: number;
  readonly pauses: number;
  readonly reclaimed: number;
  readonly broken: readonly string[];
};

/** A connection of its own, as a process has it. Words that are cut off at a statement are as if it had been killed there. */
export type OpenStores = (onStatement: () => void) => Promise<readonly Store[]>;

class Killed extends Error {}

/** Workers, dispatchers, people and reclaimers say random words of one board, up to three at once; then the rules are looked at. */
export async function jobsRun(
  open: OpenStores,
  size: JobsSize,
  seed: number,
  faulty: Faulty = {},
): Promise<JobsReport> {
  const random = randomFrom(seed);
  let killIn = -1;
  const stores = await open(() => {
    if (killIn >= 0 && (killIn -= 1) < 0) throw new Killed("killed at a statement");
  });
  const world = await newWorld(stores, size, random, faulty);
  const { report } = world;
  while (report.operations < size.operations && report.broken.length === 0) {
    passTime(world, random);
    const words = await nextWords(world, random);
    const before = await detailsOf(world, words);
    killIn = random.oneIn(10) ? random.below(24) : -1;
    const said = await Promise.all(words.map((word) => say(world, word, random.pick(world.connections))));
    killIn = -1;
    for (const was of before) {
      const is = (await world.look.details(was.id)) as CardDetails;
      const own = said.filter(({ id }) => id === was.id);
      report.broken.push(...broken(was, is, own));
    }
    report.operations += words.length;
    if (report.operations % 5000 < words.length) report.broken.push(...(await sweep(world)));
  }
  if (report.broken.length === 0) report.broken.push(...(await sweep(world)), ...(await closeAll(world)));
  return report;
}

type World = {
  readonly connections: readonly Cards[];
  readonly look: Store["cards"];
  readonly ids: readonly CardId[];
  /** What each worker believes to have, and until when it stands still. */
  readonly held: Map<number, CardRunId>;
  readonly paused: Map<number, number>;
  readonly begun: Map<CardRunId, number>;
  readonly workers: number;
  readonly faulty: Faulty;
  readonly report: Mutable<JobsReport>;
  now: number;
};

type Mutable<T> = {
  -readonly [Key in keyof T]: T[Key] extends readonly (infer Each)[]
    ? Each[]
    : T[Key] extends Readonly<Record<string, number>>
      ? Record<string, number>
      : T[Key];
};

async function newWorld(
  stores: readonly Store[],
  { workers, cards: count }: JobsSize,
  random: Random,
  faulty: Faulty,
): Promise<World> {
  const [first] = stores as readonly [Store];
  const made = stores.map(({ cards }) => cardsOf(cards));
  const ids: CardId[] = [];
  const now = 1_000_000;
  for (let at = 0; at < count; at += 1) {
    const parents = ids.length > 2 && random.oneIn(3) ? [random.pick(ids)] : [];
    const card = await (made[0] as Cards).add(person, { title: `card ${at}`, parents }, now);
    if (!("no" in card)) ids.push(card.id);
  }
  const report = {
    operations: 0,
    fates: {},
    killed: 0,
    claims: 0,
    jumps: 0,
    pauses: 0,
    reclaimed: 0,
    broken: [],
  };
  return {
    connections: made.map((cards) => faulty.cards?.(cards, first.cards) ?? cards),
    look: first.cards,
    ids,
    held: new Map(),
    paused: new Map(),
    begun: new Map(),
    workers,
    faulty,
    report,
    now,
  };
}

/** Mostly a little; now and then a clock is set, forth or back, or a machine has slept. */
function passTime(world: World, random: Random): void {
  const isJump = random.oneIn(50);
  if (isJump) world.report.jumps += 1;
  world.now += isJump ? random.below(40 * ttlMs) - 15 * ttlMs : random.below(100);
}

/** What is said next: of one card or of several, by one or by some at once. */
async function nextWords(world: World, random: Random): Promise<readonly Word[]> {
  const { ids, look, report } = world;
  if (random.oneIn(15)) {
    const due = (await look.due(world.now)).slice(0, 3);
    report.reclaimed += due.length;
    return due.flatMap((id): readonly Word[] => [
      { actor: { is: "dispatcher" }, id, command: { do: "reclaim", gone: random.oneIn(4) } },
      { actor: { is: "time" }, id, command: { do: "unblock" } },
    ]);
  }
  const card = (await look.get(random.pick(ids))) as Card;
  return Array.from({ length: 1 + random.below(3) }, () => oneWord(world, random, card));
}

function oneWord(world: World, random: Random, card: Card): Word {
  const { held, paused, ids, report } = world;
  const worker = random.below(world.workers);
  const run = held.get(worker);
  if (random.oneIn(200)) {
    paused.set(worker, report.operations + random.below(2000));
    report.pauses += 1;
  }
  // One that has died is started again, and knows nothing of what it had.
  if (random.oneIn(100)) held.delete(worker);
  const isAwake = (paused.get(worker) ?? 0) <= report.operations;
  if (run !== undefined && isAwake && random.below(5) < 3) return workersWord(random, run, ids);
  if (card.state === "ready" || random.oneIn(10))
    return {
      actor: { is: "dispatcher" },
      id: card.id,
      command: { do: "claim", owner: ownerOf(worker), ttlMs },
    };
  return othersWord(random, card, ids);
}

async function detailsOf({ look }: World, words: readonly Word[]): Promise<readonly CardDetails[]> {
  const ids = new Set(words.map(({ id }) => id));
  return Promise.all([...ids].map(async (id) => (await look.details(id)) as CardDetails));
}

async function say(world: World, word: Word, cards: Cards): Promise<Said> {
  const { report, faulty, now } = world;
  const { actor, id, command } = word;
  const begin = (run: CardRunId): void => {
    if (command.do === "claim") begun(world, run, command.owner.pid - 1);
  };
  try {
    if (command.do === "claim" && faulty.claimsLate === true) {
      const { state, epoch } = (await world.look.get(id)) as Card;
      if (state === "ready") begin(`${id}.${epoch + 1}`);
    }
    const said = await cards.apply(actor, id, command, now);
    const fate = said === undefined ? "no such card" : "no" in said ? said.no : "done";
    report.fates[fate] = (report.fates[fate] ?? 0) + 1;
    if (fate === "done" && command.do === "claim") {
      report.claims += 1;
      if (faulty.claimsLate !== true) begin((said as Card).run as CardRunId);
    }
    return { ...word, fate };
  } catch (error) {
    if (!wasKilled(error)) report.broken.push(`${command.do} by ${actor.is}: ${String(error)}`);
    report.killed += 1;
    return { ...word, fate: "killed" };
  }
}

const wasKilled = (error: unknown): boolean =>
  error instanceof Killed || (error instanceof Error && error.cause !== undefined && wasKilled(error.cause));

/** A worker is started on an attempt: once, whatever happens. */
function begun({ begun: all, held, report }: World, run: CardRunId, worker: number): void {
  const times = (all.get(run) ?? 0) + 1;
  all.set(run, times);
  held.set(worker, run);
  if (times > 1) report.broken.push(`${run} was begun ${times} times`);
}

/** All cards, also those that were moved by others. */
async function sweep({ look, ids }: World): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const id of ids) faults.push(...wrongState((await look.details(id)) as CardDetails));
  return faults;
}

/** When everybody is gone, the reclaimer ends what they have left. */
async function closeAll(world: World): Promise<readonly string[]> {
  const { look, connections } = world;
  world.now += 100 * ttlMs;
  for (const id of await look.due(world.now))
    await (connections[0] as Cards).apply(
      { is: "dispatcher" },
      id,
      { do: "reclaim", gone: false },
      world.now,
    );
  const runs = await look.runs({ limit: 1_000_000 });
  return runs.filter(({ endedAt }) => endedAt === undefined).map(({ id }) => `${id} was never closed`);
}
