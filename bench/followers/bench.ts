import type { Bench, Outcome } from "../bench.ts";
import { heldMiB } from "../held.ts";
import { misread } from "../crash/follower.ts";
import { rounded } from "../medians.ts";
import { randomFrom } from "../random.ts";
import { type Idle, eagerDoor, idleAt } from "./idle.ts";
import { type Read, restless } from "./restless.ts";
import { type Way, ways } from "./ways.ts";
import { type World, world } from "./world.ts";

type Size = {
  readonly followers: number;
  readonly turns: number;
  /** Readers that never read, and the turns that run meanwhile, each with an answer of so many characters. */
  readonly idle: { readonly readers: number; readonly turns: number; readonly characters: number };
};

/** Followers that drop, sleep and come back with their cursors while turns run, and some that never read. */
export const bench: Bench<Size> = {
  sizes: {
    quick: { followers: 15, turns: 16, idle: { readers: 4, turns: 40, characters: 200_000 } },
    full: { followers: 1000, turns: 200, idle: { readers: 50, turns: 200, characters: 60_000 } },
  },
  isSeeded: true,
  async run({ followers, turns, idle }, { seed, log }) {
    const all = Object.entries(ways);
    const reads = await follow(followers, turns, seed, (at) => all[at % all.length]?.[1] ?? ways.process);
    log(`${followers} followers of ${turns} turns, ${reads.connections} connections`);
    const forgetful = await follow(3, turns, seed, () => ways.process, true);
    const doors = Object.values(idleAt);
    const alone = await held({ ...idle, readers: 0 }, () => idleAt.socket);
    const each = async (readers: number, doorOf: DoorOf): Promise<number> =>
      ((await held({ ...idle, readers }, doorOf)) - alone) / readers;
    const neverRead = await each(idle.readers, (_, at) => doors[at % doors.length] ?? idleAt.socket);
    log(`${idle.readers} readers that never read: ${rounded(neverRead, 1)} MiB each`);
    const eager = await each(doors.length, (door) => door);
    return outcome(reads, forgetful, { neverRead, eager });
  },
};

type Followed = { readonly connections: number; readonly events: number; readonly faults: readonly string[] };

async function follow(
  count: number,
  turns: number,
  seed: number,
  wayOf: (at: number) => Way,
  forgetful = false,
): Promise<Followed> {
  await using it = await world("An answer in a few words.");
  const over = Promise.withResolvers<string>();
  const random = randomFrom(seed);
  const reading = Array.from({ length: count }, (_, at) =>
    restless(it, wayOf(at), randomFrom(random.below(2 ** 31)), over.promise, forgetful),
  );
  await it.turns(turns);
  over.resolve(await it.end());
  const reads = await Promise.all(reading);
  const logged = await everything(it);
  return {
    connections: reads.reduce((sum, { connections }) => sum + connections, 0),
    events: logged.length,
    faults: reads.flatMap((read, at) => faultsOf(read, logged).map((fault) => `follower ${at}: ${fault}`)),
  };
}

const faultsOf = ({ events, gaps }: Read, logged: Read["events"]): readonly string[] => [
  ...misread(events, logged, true),
  ...(gaps === 0 ? [] : [`${gaps} gaps, and nothing was removed`]),
];

async function everything(it: World): Promise<Read["events"]> {
  const all: { session: string; number: number }[] = [];
  for await (const event of it.host
    .as({ surface: "cli", id: "owner", role: "owner", local: true })
    .call("events.follow", { of: "all", after: "start", once: true }))
    if ("number" in event) all.push({ session: event.session, number: event.number });
  return all;
}

type DoorOf = (eager: Idle, at: number) => Idle;

/** By how much this process has grown while they were there, in MiB. */
async function held({ readers, turns, characters }: Size["idle"], doorOf: DoorOf): Promise<number> {
  await using it = await world("x".repeat(characters));
  using eager = await eagerDoor(it);
  await it.turns(8);
  const before = heldMiB();
  using there = new DisposableStack();
  for (let at = 0; at < readers; at += 1) there.use(await doorOf(eager.idle, at)(it));
  await it.turns(turns);
  await it.end();
  return heldMiB() - before;
}

function outcome(
  reads: Followed,
  forgetful: Followed,
  { neverRead, eager }: { readonly neverRead: number; readonly eager: number },
): Outcome {
  return {
    figures: {
      events: reads.events,
      connections: reads.connections,
      neverReadMiBEach: rounded(neverRead, 1),
      controls: { withoutCursor: forgetful.faults.length, withoutWaitingMiBEach: rounded(eager, 1) },
    },
    faults: [
      ...reads.faults,
      ...(forgetful.faults.length > 0 ? [] : ["followers without their cursors were not noticed"]),
      ...(neverRead <= mostMiB ? [] : [`a reader that never reads costs ${rounded(neverRead, 1)} MiB`]),
      ...(eager > mostMiB ? [] : [`a door that waits for nobody was not noticed: ${rounded(eager, 1)} MiB`]),
    ],
  };
}

/** For each: a page of the log, and what a connection has room for. */
const mostMiB = 6;
