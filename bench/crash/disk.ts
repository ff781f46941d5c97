import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type StorePlace, openStoreAt } from "../../src/store/open.ts";
import { translated } from "../../src/store/postgres/schema.ts";
import { emptyDatabase, testDatabase } from "../../test/postgres.ts";
import type { testEngine } from "../../test/stores.ts";

export type EngineName = typeof testEngine;

export type Rows = <Row>(sql: string) => Promise<readonly Row[]>;

/** What a home has really stored, past the store. */
export type Disk = AsyncDisposable & {
  readonly place: StorePlace;
  /** All rows as they were at one moment: a killed process may have asked a server for something that is still done. */
  look<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
  /** What the database says of its own damage. */
  damage(): Promise<readonly string[]>;
};

/** `change`: statements that make its schema wrong. */
export async function newDisk(
  engine: EngineName,
  home: string,
  change: readonly string[] = [],
): Promise<Disk> {
  const disk = engine === "sqlite" ? fileIn(home) : await databaseOf(home, change.length > 0);
  if (change.length === 0) return disk;
  await (await openStoreAt(disk.place, {}))[Symbol.asyncDispose]();
  await disk.alter(engine === "sqlite" ? change : change.flatMap(translated));
  return disk;
}

type Alterable = Disk & { alter(statements: readonly string[]): Promise<void> };

export function fileIn(home: string): Alterable {
  const file = join(home, "talaria.db");
  const look: Disk["look"] = async (work) => {
    using db = new DatabaseSync(file, { readOnly: true });
    db.exec("begin");
    return await work(async <Row>(sql: string) => db.prepare(sql).all() as unknown as readonly Row[]);
  };
  return {
    place: { file },
    look,
    damage: () =>
      look(async (rows) => {
        const found = await rows<{ integrity_check: string }>("pragma integrity_check");
        return found.map((row) => row.integrity_check).filter((word) => word !== "ok");
      }),
    async alter(statements) {
      using db = new DatabaseSync(file);
      for (const statement of statements) db.exec(statement);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** `isOwn`: no other home will have it. */
async function databaseOf(home: string, isOwn: boolean): Promise<Alterable> {
  const database = await (isOwn ? testDatabase() : emptyDatabase());
  const { url, ask } = database;
  await writeFile(join(home, "config.yaml"), `database:\n  url: ${JSON.stringify(url)}\n`, { mode: 0o600 });
  return {
    place: { file: join(home, "talaria.db"), url },
    async look(work) {
      await ask("begin isolation level repeatable read read only");
      try {
        return await work(async <Row>(sql: string) => (await ask(sql)) as readonly Row[]);
      } finally {
        await ask("rollback");
      }
    },
    damage: async () => [],
    async alter(statements) {
      for (const statement of statements) await ask(statement);
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
