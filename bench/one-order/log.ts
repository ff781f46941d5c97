import type { FollowedEvent, LoggedEvent } from "../../src/core/event-log.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Child, spawnChild } from "../../src/lib/process/child.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { type Order, orderOf } from "./order.ts";
import type { World } from "./world.ts";

/** The log of the home, as `talaria events` tells it. */
export type Log = AsyncDisposable & {
  /** What a follower has heard until now. */
  heard(): readonly LoggedEvent[];
  /** All of it, read anew. */
  read(): Promise<readonly LoggedEvent[]>;
};

export async function followLog(world: World): Promise<Log> {
  await using parts = new AsyncDisposableStack();
  const events: LoggedEvent[] = [];
  const follower = parts.use(await talariaEvents(world, ["--follow"]));
  const begun = Promise.withResolvers<void>();
  void (async () => {
    for await (const event of eventsOf(follower)) {
      if (event.type === "resume") begun.resolve();
      if ("cursor" in event && event.type !== "resume") events.push(event);
    }
    begun.reject(new Error(`talaria events ended: ${follower.stderrTail()}`));
  })();
  await begun.promise;
  const kept = parts.move();
  return {
    heard: () => events,
    async read() {
      await using once = await talariaEvents(world, []);
      const all = await Array.fromAsync(eventsOf(once));
      return all.filter((event) => "cursor" in event && event.type !== "resume") as LoggedEvent[];
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const talariaEvents = ({ program, cwd, env }: World, args: readonly string[]): Promise<Child> =>
  spawnChild({
    command: program,
    args: ["events", "--json", ...args],
    cwd,
    env,
    kind: "bench",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });

async function* eventsOf({ stdout }: Child): AsyncGenerator<FollowedEvent> {
  for await (const line of lines(stdout)) yield JSON.parse(line) as FollowedEvent;
}

/** Has the turn of this word ended? */
export function isOver(events: readonly LoggedEvent[], word: string): boolean {
  const turn = events.find((event) => orderOf([event])[0] === word)?.turn;
  return turn !== undefined && events.some((event) => event.type === "ended" && event.turn === turn);
}

export const isSaid = (order: Order, word: string): boolean => order.includes(word);

/** Does a turn run now? */
export function isOpen(events: readonly LoggedEvent[]): boolean {
  const count = (type: LoggedEvent["type"]): number => events.filter((event) => event.type === type).length;
  return count("started") > count("ended");
}
