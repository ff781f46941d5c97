import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/lib/clock.ts";
import { type Random, randomFrom } from "../random.ts";
import { type Log, followLog, isOpen, isOver } from "./log.ts";
import { type Order, differences, isWord, numberOf, orderOf } from "./order.ts";
import { type Side, type SideMaker, becomes, editorSide, screenSide } from "./side.ts";
import { type World, newWorld } from "./world.ts";

export type OrderSize = { readonly turns: number; readonly kills: number; readonly checkEvery: number };

export type OrderReport = {
  readonly turns: number;
  readonly kills: number;
  /** Turns that a kill cut off in the middle. */
  readonly cut: number;
  /** Said again: refused because the session was busy elsewhere; lost with a process that had not taken it yet. */
  readonly refused: number;
  readonly saidAgain: number;
  readonly checks: number;
  /** Words, items and ends that were compared at the end, over all sides. */
  readonly compared: number;
  readonly broken: readonly string[];
  /** What was said of a screen that loses one event; empty means that the check is blind. */
  readonly mutantBroken: readonly string[];
};

/** Two terminals and an editor on one session, words at random sides, and one of the three killed now and then. */
export async function orderRun(
  size: OrderSize,
  seed: number,
  log: (line: string) => void,
): Promise<OrderReport> {
  await using world = await newWorld(size.turns + 3);
  await using table = await openTable(world);
  const random = randomFrom(seed);
  const { counts } = table;
  let said = 1;
  let nextCheck = size.checkEvery;
  while (said < size.turns && counts.broken.length === 0) {
    // The first word is cut off for certain, so nothing else is said meanwhile.
    const pair = counts.kills > 0 && size.turns - said >= 2 && random.oneIn(4);
    const words = pair ? [`word${said + 1}`, `word${said + 2}`] : [`word${said + 1}`];
    said += words.length;
    // Spread over the run.
    const isKill = counts.kills < Math.ceil((size.kills * said) / size.turns);
    await round(table, words, isKill ? random : undefined, random);
    if (said < nextCheck && said < size.turns) continue;
    nextCheck += size.checkEvery;
    await check(table);
    log(`${said} words, ${counts.kills} kills, ${counts.refused} refused, ${counts.broken.length} broken`);
  }
  const order = orderOf(table.log.heard());
  const { kills, refused, saidAgain, checks, compared, broken } = counts;
  const cut = order.filter((token) => token.startsWith("cut")).length;
  const mutantBroken = broken.length > 0 ? [] : await mutantRun(table, said + 3 - (said % 3));
  return { turns: said, kills, cut, refused, saidAgain, checks, compared, broken, mutantBroken };
}

type Table = AsyncDisposable & {
  readonly world: World;
  readonly log: Log;
  readonly session: string;
  readonly seats: Seat[];
  readonly counts: Counts;
  /** What those who were killed had seen, less what was under way. */
  readonly past: { readonly who: string; readonly seen: Order; readonly without: ReadonlySet<number> }[];
};

type Seat = { readonly make: SideMaker; side: Side; lives: number; turnsAtStart: number };

type Counts = {
  kills: number;
  refused: number;
  saidAgain: number;
  checks: number;
  compared: number;
  readonly broken: string[];
};

async function openTable(world: World): Promise<Table> {
  await using parts = new AsyncDisposableStack();
  const log = parts.use(await followLog(world));
  const makers = [screenSide("left"), screenSide("right"), editorSide("editor")];
  const seats: Seat[] = [];
  parts.defer(async () => {
    for (const { side } of seats) await side[Symbol.asyncDispose]();
  });
  for (const make of makers) {
    const session = log.heard()[0]?.session;
    seats.push({ make, side: await make(world, session), lives: 1, turnsAtStart: 0 });
    if (session !== undefined) continue;
    seats[0]?.side.say("word1");
    await becomes(() => isOver(log.heard(), "word1"));
  }
  const session = log.heard()[0]?.session;
  if (session === undefined) throw new Error("The first word began no session.");
  const counts = { kills: 0, refused: 0, saidAgain: 0, checks: 0, compared: 0, broken: [] };
  const kept = parts.move();
  return {
    world,
    log,
    session,
    seats,
    counts,
    past: [],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

type Said = { readonly word: string; readonly seat: Seat; life: number };

/** Says the words, each at some side, kills somebody meanwhile, and waits until all is over. */
async function round(
  table: Table,
  words: readonly string[],
  kill: Random | undefined,
  random: Random,
): Promise<void> {
  const { world, seats, counts } = table;
  const all: Said[] = words.map((word) => {
    const seat = random.pick(seats);
    return { word, seat, life: seat.lives };
  });
  const isFirst = kill !== undefined && counts.kills === 0;
  // A machine may be fast: the answer comes when nobody can wait for it any more.
  if (isFirst) world.stall();
  const asked = world.asked();
  for (const { word, seat } of all) seat.side.say(word);
  if (kill !== undefined) {
    if (isFirst || kill.oneIn(2)) await asked;
    await systemClock.sleep(kill.fraction() * (isFirst ? 20 : 500), undefined, { hold: true });
    const victim = isFirst ? (all[0]?.seat ?? kill.pick(seats)) : kill.pick(seats);
    await replace(table, victim, new Set(words.map(numberOf)));
  }
  await settle(table, all);
}

/** kill -9, and the same again. */
async function replace(table: Table, seat: Seat, without: ReadonlySet<number>): Promise<void> {
  const { world, session, counts, past, log } = table;
  await seat.side.kill();
  counts.kills += 1;
  past.push({ who: `${seat.side.name}, life ${seat.lives}`, seen: seat.side.seen(), without });
  await seat.side[Symbol.asyncDispose]();
  seat.turnsAtStart = orderOf(log.heard()).filter(isWord).length;
  seat.side = await seat.make(world, session);
  seat.lives += 1;
}

/** What was refused is said again when it can be taken, and so is what was killed before it was taken. */
async function settle({ log, counts }: Table, all: readonly Said[]): Promise<void> {
  for (const said of all) {
    const { word, seat } = said;
    const isOverOr = (other: () => boolean): Promise<boolean> =>
      becomes(() => isOver(log.heard(), word) || other());
    while (!isOver(log.heard(), word)) {
      const wasKilled = seat.lives > said.life;
      if (wasKilled && !orderOf(await log.read()).includes(word)) {
        counts.saidAgain += 1;
        said.life = seat.lives;
        seat.side.say(word);
      }
      said.life = seat.lives;
      const came = await isOverOr(() => seat.side.isRefused(word) && !isOpen(log.heard()));
      if (!came) return void counts.broken.push(`${seat.side.name}: ${word} was neither run nor refused`);
      if (isOver(log.heard(), word)) break;
      counts.refused += 1;
      seat.side.say(word);
      await isOverOr(() => !seat.side.isRefused(word));
    }
  }
}

/** What an editor has said itself it is not told. */
const without = (order: Order, { own }: Pick<Side, "own">): Order => order.filter((token) => !own.has(token));

/** A screen shows the last 60 messages of a session, and a turn has at most four. */
const leastTurns = 14;

async function check({ log, seats, past, counts }: Table): Promise<void> {
  const order = orderOf(await log.read());
  counts.checks += 1;
  counts.compared = 0;
  const words = order.filter(isWord);
  const told = orderOf(log.heard());
  counts.broken.push(
    ...differences("the follower", order, told, words.length),
    ...words.flatMap((word, at) => (words.indexOf(word) < at ? [`the log: doubled ${word}`] : [])),
  );
  for (const { side, turnsAtStart } of seats) {
    const wanted = without(order, side);
    const least = side.isWhole
      ? wanted.filter(isWord).length
      : Math.min(turnsAtStart, leastTurns) + words.length - turnsAtStart;
    const found = (): readonly string[] => differences(side.name, wanted, side.seen(), least);
    await becomes(() => found().length === 0);
    counts.broken.push(...found());
    counts.compared += side.seen().length;
  }
  for (const { who, seen, without: numbers } of past.splice(0)) {
    const settled = (all: Order): Order => all.filter((token) => !numbers.has(numberOf(token)));
    const shown = settled(seen);
    const from = settled(order).indexOf(shown[0] ?? "");
    const wanted = settled(order).slice(Math.max(from, 0)).slice(0, shown.length);
    if (!who.startsWith("editor")) counts.broken.push(...differences(who, wanted, shown, 0));
  }
}

const deaf = fileURLToPath(new URL("deaf.child.ts", import.meta.url));

/** The right screen is one that loses an event; the left one says something that is answered after a call. */
async function mutantRun(table: Table, number: number): Promise<readonly string[]> {
  const { world, session, log, seats } = table;
  const [left, right] = seats;
  const [word, last] = [`word${number}`, `answer${number}`];
  if (left === undefined || right === undefined) return [];
  await right.side[Symbol.asyncDispose]();
  const options = { NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${deaf}` };
  right.side = await screenSide("deaf", options)(world, session);
  left.side.say(word);
  await becomes(() => isOver(log.heard(), word));
  const order = orderOf(log.heard());
  await becomes(() => right.side.seen().includes(last));
  return differences(right.side.name, order, right.side.seen(), 1);
}
