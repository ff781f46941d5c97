import { isDeepStrictEqual } from "node:util";
import type { SessionId, TurnId } from "../../src/core/ids.ts";
import { type Lease, type Store, leaseExpiryMs } from "../../src/store/store.ts";
import { admission, newSession, owner } from "../../src/store/suite/world.suite.ts";
import { type Random, randomFrom } from "../random.ts";
import { type Executor, type Witness, type Written, executor } from "./executor.ts";

export type Interleaved = {
  readonly interleavings: number;
  /** A lease that was taken from somebody who was stopped and went on later. */
  readonly takeovers: number;
  /** Writes of those, which the store refused. */
  readonly refused: number;
  readonly writes: number;
  readonly broken: readonly string[];
};

const inputs = 2;

/** Two executors over the same data, in every order that chance gives: whoever is stopped is replaced, and goes on. */
export async function interleavings(
  count: number,
  seed: number,
  stores: readonly [Store, Store],
): Promise<Interleaved> {
  const sums = { takeovers: 0, refused: 0, writes: 0 };
  const broken: string[] = [];
  for (let number = 0; number < count; number++) {
    const one = await interleaving(randomFrom(seed + number), stores);
    for (const key of ["takeovers", "refused", "writes"] as const) sums[key] += one[key];
    broken.push(...one.broken.map((line) => `${line} (seed ${seed + number})`));
  }
  return { interleavings: count, ...sums, broken };
}

async function interleaving(random: Random, stores: readonly [Store, Store]) {
  const session = newSession();
  let now = 1_000_000;
  for (let said = 0; said < inputs; said++)
    await stores[0].inbox.admit(admission(said === 0 ? session : session.id));
  const witness = witnessed();
  const [one, other] = stores.map((store, at) =>
    executor(`executor ${at + 1}`, {
      store,
      session: session.id,
      owner: owner(at + 1),
      now: () => now,
      witness,
    }),
  ) as [Executor, Executor];
  // The first is stopped somewhere, beyond the end of its lease; then both go on as it comes.
  await steps(one, 2 + random.below(8));
  now += leaseExpiryMs + 1;
  await steps(other, 1 + random.below(8));
  for (let turn = 0; turn < 30; turn++) {
    await random.pick([one, other]).step();
    if (random.oneIn(12)) now += leaseExpiryMs + 1;
  }
  for (let left = 200, busy = true; left > 0 && busy; left--) {
    busy = [await one.step(), await other.step()].some(Boolean);
    now += 5000;
  }
  const { seen, broken } = witness;
  return {
    takeovers: seen.takeovers,
    refused: seen.refused,
    writes: seen.written.length,
    broken: [...broken, ...(await differences(stores[1], session.id, seen.written))],
  };
}

async function steps(who: Executor, count: number): Promise<void> {
  for (let done = 0; done < count && (await who.step()); done++);
}

/** Knows who holds the lease by who was given it last. */
function witnessed() {
  const seen = { takeovers: 0, refused: 0, written: [] as Written[] };
  const broken: string[] = [];
  let holder: { readonly name: string; readonly lease: Lease } | undefined;
  const isHeld = (lease: Lease): boolean => holder?.lease.epoch === lease.epoch;
  const witness: Witness = {
    took(name, lease) {
      if (holder !== undefined) seen.takeovers += 1;
      if (holder !== undefined && lease.epoch <= holder.lease.epoch)
        broken.push(`stale: ${name} was given the epoch ${lease.epoch} after ${holder.lease.epoch}`);
      holder = { name, lease };
    },
    gave(lease) {
      if (isHeld(lease)) holder = undefined;
    },
    wrote(lease, what) {
      seen.written.push(what);
      if (!isHeld(lease)) broken.push(`stale: ${what.kind} of ${what.turn} was written by who was replaced`);
    },
    refused(lease) {
      seen.refused += 1;
      if (isHeld(lease)) broken.push(`lost: the holder of epoch ${lease.epoch} was refused`);
    },
  };
  return { ...witness, seen, broken };
}

/** What is there is what was acknowledged, each once, and each input had one turn that was done, or was told to be cut off. */
async function differences(
  store: Store,
  session: SessionId,
  written: readonly Written[],
): Promise<readonly string[]> {
  const broken: string[] = [];
  const turns = await store.sessions.turns(session);
  const of = (turn: TurnId) => written.filter((one) => one.turn === turn);
  for (const { id, state, inbox } of turns) {
    const kept = (await store.turns.items(id)).map((item) => item.id as string);
    const told = of(id).flatMap((one) => (one.kind === "item" ? [one.item] : []));
    if (!isDeepStrictEqual(kept, told)) broken.push(`doubled or lost: ${id} has ${kept}, told were ${told}`);
    const ends = of(id).filter(({ kind }) => kind === "end");
    if (ends.length !== 1 || state === "open")
      broken.push(`doubled: ${id} is ${state} and ended ${ends.length} times`);
    if (turns.filter((turn) => turn.inbox === inbox).length > 1)
      broken.push(`doubled: ${inbox} was run twice`);
  }
  if (turns.length !== inputs) broken.push(`lost: of ${inputs} inputs ${turns.length} were run`);
  const cut = turns.filter(({ state }) => state === "interrupted").map(({ id }) => id);
  const unreported = (await store.turns.takeUnreported(session)).map(({ id }) => id);
  if (!isDeepStrictEqual(cut, unreported))
    broken.push(`silent: ${cut} were cut off, ${unreported} would be told`);
  return broken;
}

/** What stores without a check of the epoch would do: every write is taken for the holder's. */
export function withoutEpochs(stores: readonly [Store, Store]): readonly [Store, Store] {
  const epochs = new Map<SessionId, number>();
  const latest = ({ session, epoch }: Lease): Lease => ({ session, epoch: epochs.get(session) ?? epoch });
  const blind = (store: Store): Store => ({
    ...store,
    leases: {
      ...store.leases,
      async acquire(...asked) {
        const got = await store.leases.acquire(...asked);
        if ("lease" in got) epochs.set(got.lease.session, got.lease.epoch);
        return got;
      },
    },
    turns: {
      ...store.turns,
      open: (lease, ...rest) => store.turns.open(latest(lease), ...rest),
      keep: (lease, ...rest) => store.turns.keep(latest(lease), ...rest),
      end: (lease, ...rest) => store.turns.end(latest(lease), ...rest),
    },
  });
  return [blind(stores[0]), blind(stores[1])];
}
