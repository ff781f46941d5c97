import { follow } from "../../src/agent/following/follow.ts";
import { hub } from "../../src/agent/hub.ts";
import type { FollowedEvent } from "../../src/core/event-log.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type StorePlace, openStoreAt } from "../../src/store/open.ts";
import type { Rows } from "./disk.ts";

/** A process that reads the events of all sessions, lives on when others are killed, and goes on with its cursor each time. */
export type Follower = {
  /** Reads as it happens. The store is there by then. */
  live(): AsyncDisposable;
  /** Reads what there is behind its cursor. */
  readOn(): Promise<void>;
  /** What is wrong with all that it has read. `whole`: it has come to the end. */
  broken(rows: Rows, whole: boolean): Promise<readonly string[]>;
};

export function followerOf(place: StorePlace): Follower {
  const read: Place[] = [];
  const gaps: string[] = [];
  let cursor = "start";

  function note(event: FollowedEvent): void {
    if (event.type === "resume" && event.resume === "gap") gaps.push(`follower: a gap at ${cursor}`);
    if ("number" in event) read.push({ session: event.session, number: event.number });
    if ("cursor" in event) cursor = event.cursor;
  }

  async function follows(signal: AbortSignal, once: boolean): Promise<void> {
    await using store = await openStoreAt(place, {});
    const deps = { store, watchers: hub(() => {}), clock: systemClock };
    const wanted = { of: "all", after: cursor, ...(once ? { once } : {}) } as const;
    for await (const event of follow(deps, wanted, signal)) note(event);
  }

  return {
    live() {
      const left = new AbortController();
      const following = follows(left.signal, false);
      following.catch(() => {}); // said when it is left
      return {
        async [Symbol.asyncDispose]() {
          left.abort();
          await following;
        },
      };
    },
    readOn: () => follows(new AbortController().signal, true),
    broken: async (rows, whole) => [...gaps, ...misread(read, await logged(rows), whole)],
  };
}

/** Which event: numbers count within a session. */
export type Place = { readonly session: string; readonly number: number };

const logged = (rows: Rows): Promise<readonly Place[]> =>
  rows<Place>("select session, number from event order by cursor");

/** Did it read exactly what is there, in order, up to some place or to the end? */
export function misread(read: readonly Place[], log: readonly Place[], whole: boolean): readonly string[] {
  const named = (place: Place | undefined): string =>
    place ? `${place.session} ${place.number}` : "nothing";
  const at = read.findIndex((place, index) => named(place) !== named(log[index]));
  if (at >= 0) return [`follower: event ${at + 1} was read as ${named(read[at])} and is ${named(log[at])}`];
  if (!whole || read.length === log.length) return [];
  return [
    `follower: ${log.length - read.length} events were not read, ${named(log[read.length])} is the first`,
  ];
}
