import { systemClock } from "../../src/lib/clock.ts";
import type { StatementHook } from "../../src/store/sqlite/connection.ts";
import type { ChildRecord } from "../../src/store/schema/process-tables.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreCall, StoreWork } from "./side.ts";

/** Counts what the store is asked, without changing it. */
export type StoreWatch = {
  readonly onStatement: StatementHook;
  wrap(store: Store): Store;
  /** Starts counting anew, with this moment as zero. */
  reset(from: number): void;
  work(): StoreWork;
  /** Children that were registered, newest last. */
  readonly children: readonly ChildRecord[];
};

export function watchStore(): StoreWatch {
  const { monotonic } = systemClock;
  const children: ChildRecord[] = [];
  let counts = { statements: 0, statementMs: 0, commits: 0, commitMs: 0 };
  let calls: StoreCall[] = [];
  let zero = 0;
  let began = 0;

  /** A table with every method timed. */
  function timed<Table extends object>(table: string, methods: Table): Table {
    const watched = Object.entries(methods).map(([name, method]: [string, Method]) => [
      name,
      async (...args: unknown[]) => {
        const at = monotonic();
        try {
          return await method(...args);
        } finally {
          calls.push({ name: `${table}.${name}`, atMs: at - zero, tookMs: monotonic() - at });
        }
      },
    ]);
    return Object.fromEntries(watched) as Table;
  }

  return {
    children,
    onStatement(sql, when) {
      const now = monotonic();
      if (when === "before") {
        began = now;
        return;
      }
      counts.statements += 1;
      counts.statementMs += now - began;
      if (sql !== "commit") return;
      counts.commits += 1;
      counts.commitMs += now - began;
    },
    wrap: (store) => ({
      ...store,
      sessions: timed("sessions", store.sessions),
      inbox: timed("inbox", store.inbox),
      leases: timed("leases", store.leases),
      turns: timed("turns", store.turns),
      bindings: timed("bindings", store.bindings),
      processes: {
        ...store.processes,
        async add(child) {
          children.push(child);
          await store.processes.add(child);
        },
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }),
    reset(from) {
      counts = { statements: 0, statementMs: 0, commits: 0, commitMs: 0 };
      calls = [];
      zero = from;
    },
    work: () => ({ ...counts, calls }),
  };
}

type Method = (...args: unknown[]) => Promise<unknown>;
