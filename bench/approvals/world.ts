import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tempFolder } from "../../test/temp-folder.ts";
import { type Broker, type BrokerDeps, makeBroker } from "../../src/approvals/broker.ts";
import { type SessionId, newId } from "../../src/core/ids.ts";
import { openTestStore } from "../../test/sqlite-store.ts";
import type { Owner, Store } from "../../src/store/store.ts";
import { localOwner } from "../../src/core/principal.ts";

export type Tables = BrokerDeps["store"];

const perSession = 10;

/** One database that many interleavings share, as two processes have it open. */
export type World = AsyncDisposable & {
  readonly handles: readonly [Store, Store];
  /** One that a few interleavings share. */
  session(surface: string): Promise<SessionId>;
  /** Called around every statement of either handle. */
  onStatement: (sql: string, when: "before" | "after") => void;
};

export async function openWorld(): Promise<World> {
  // In memory where there is such a folder: what is tried here is order, not the disk.
  const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const folder = await tempFolder(base);
  const path = join(folder.path, "talaria.db");
  const hook: Pick<World, "onStatement"> = { onStatement: () => {} };
  const onStatement: World["onStatement"] = (sql, when) => hook.onStatement(sql, when);
  const first = await openTestStore(path, { onStatement });
  const second = await openTestStore(path, { onStatement });
  const sessions = new Map<string, { readonly id: SessionId; left: number }>();
  return Object.assign(hook, {
    handles: [first, second] as const,
    async session(surface: string) {
      const known = sessions.get(surface);
      if (known !== undefined && known.left-- > 0) return known.id;
      const id = await newSession(first, surface);
      sessions.set(surface, { id, left: perSession });
      return id;
    },
    async [Symbol.asyncDispose]() {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  });
}

/** Until it is killed; then its calls never end, as those of a dead process do not. */
export class Process {
  readonly owner: Owner;
  readonly broker: Broker;
  alive = true;

  constructor(store: Tables, pid: number, deps: Omit<BrokerDeps, "store" | "owner">) {
    this.owner = { host: "here", pid, startTime: "then" };
    this.broker = makeBroker({ ...deps, store: this.#cutOff(store), owner: this.owner });
  }

  #cutOff(store: Tables): Tables {
    const table = <Table extends object>(real: Table): Table =>
      Object.fromEntries(
        Object.entries(real).map(([name, call]) => [
          name,
          (...args: unknown[]) =>
            this.#whileAlive(() => (call as (...given: unknown[]) => Promise<unknown>)(...args)),
        ]),
      ) as Table;
    return {
      approvals: table(store.approvals),
      inquiries: table(store.inquiries),
      grants: table(store.grants),
    };
  }

  async #whileAlive<T>(call: () => Promise<T>): Promise<T> {
    const never = new Promise<never>(() => {});
    if (!this.alive) return never;
    const result = await call();
    return this.alive ? result : never;
  }
}

async function newSession(store: Store, surface: string): Promise<SessionId> {
  const id = newId("ses", 1);
  await store.inbox.admit({
    id: newId("inb", 1),
    key: { surface, account: "", chat: "", messageId: id },
    from: localOwner(surface),
    session: { id, cwd: "/work", surface, audience: "owner" },
    input: [],
    at: 1,
  });
  return id;
}
