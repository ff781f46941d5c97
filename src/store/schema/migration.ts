import { CompiledQuery } from "kysely";
import { FaultError } from "../../core/faults.ts";
import type { Access } from "../access.ts";
import type { Engine } from "../engine.ts";

/** Brings the schema up to date. Killed anywhere, it leaves a complete older or newer schema; several may do it at once. */
export async function migrate(access: Access, engine: Engine): Promise<void> {
  const newest = engine.migrations.length;
  const found = await access.read((db) => engine.version(db));
  if (found > newest) throw tooNew(engine, found);
  for (let version = found + 1; version <= newest; version++) {
    const statements = engine.migrations[version - 1] ?? [];
    await access.write(async (tx) => {
      if ((await engine.version(tx)) >= version) return; // another process was faster
      for (const statement of statements) await tx.executeQuery(CompiledQuery.raw(statement));
      await engine.setVersion(tx, version);
    });
  }
}

const tooNew = (engine: Engine, found: number): FaultError =>
  new FaultError({
    code: "storage",
    message: `${engine.place} was written by a newer Talaria (its schema is ${found}, this one knows up to ${engine.migrations.length}). It was left as it is.`,
    next: "Run the newer version of Talaria, or choose another home with TALARIA_HOME.",
  });
