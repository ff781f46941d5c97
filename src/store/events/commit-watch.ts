import type { Kysely } from "kysely";
import type { Clock } from "../../lib/clock.ts";
import type { Access } from "../access.ts";
import type { Engine } from "../engine.ts";
import type { Database } from "../schema/database.ts";
import type { EventTable } from "../schema/event-tables.ts";

export type CommitWatch = {
  readonly watch: EventTable["watch"];
  /** The same access, of whose commits watchers hear. */
  readonly access: Access;
  /** Ends the watching of others, before the database is closed. */
  close(): Promise<void>;
};

/** Who wants to hear of commits. Others are watched only while somebody does. */
export function commitWatch(db: Kysely<Database>, access: Access, engine: Engine, clock: Clock): CommitWatch {
  const watchers = new Set<(here: boolean) => void>();
  const tell = (here: boolean): void => watchers.forEach((changed) => changed(here));
  const heard = async <T>(written: Promise<T>): Promise<T> => {
    const result = await written;
    tell(true);
    return result;
  };
  let stop = new AbortController();
  let watching = Promise.resolve();

  const start = (): void => {
    const { signal } = (stop = new AbortController());
    watching = both(
      watching,
      engine.watchOthers(db, () => tell(false), clock, signal).catch(() => {}),
    );
  };

  return {
    watch(changed) {
      watchers.add(changed);
      if (watchers.size === 1) start();
      return {
        [Symbol.dispose]() {
          if (watchers.delete(changed) && watchers.size === 0) stop.abort();
        },
      };
    },
    access: {
      ...access,
      write: (work) => heard(access.write(work)),
      held: (lease, work) => heard(access.held(lease, work)),
    },
    async close() {
      stop.abort();
      await watching;
    },
  };
}

async function both(first: Promise<void>, second: Promise<void>): Promise<void> {
  await first;
  await second;
}
