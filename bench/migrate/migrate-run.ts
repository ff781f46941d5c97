import { rm } from "node:fs/promises";
import { join } from "node:path";
import { newFolder } from "../../test/temp-folder.ts";
import { codexReads } from "./codex-reads.ts";
import { randomKills, stepKills } from "./kills.ts";
import { race } from "./race.ts";

export type MigrateSize = {
  /** Of each of two processes, while an editor saves. */
  readonly migrations: number;
  /** The same with a writer that only reads and writes: the check must see what it loses. */
  readonly naiveMigrations: number;
  /** 1: killed before every step; 5: before every fifth. */
  readonly everyStep: number;
  readonly randomKills: number;
  /** Random files that the real codex reads before and after. */
  readonly files: number;
};

export type MigrateReport = {
  readonly migrations: number;
  readonly edits: number;
  /** Saves that a killed or crossed run put aside under a name of their own. */
  readonly putAside: number;
  readonly naiveLost: number;
  readonly stepKills: number;
  readonly randomKills: number;
  readonly filesRead: number;
  /** One line for each thing that went wrong. */
  readonly broken: readonly string[];
};

/** Migrates while others write and while it is killed, and lets codex read what comes out. */
export async function migrateRun(
  size: MigrateSize,
  seed: number,
  log: (line: string) => void,
): Promise<MigrateReport> {
  const folder = await newFolder();
  try {
    log(`2 x ${size.migrations} migrations while an editor saves …`);
    const raced = await race(join(folder, "race"), { seed, migrations: size.migrations, writer: "talaria" });
    log(`${raced.edits} edits, ${raced.broken.length} broken; the same with a naive writer …`);
    const naive = await race(join(folder, "naive"), {
      seed,
      migrations: size.naiveMigrations,
      writer: "naive",
    });
    log(`naive: ${naive.broken.length} broken; kills at every step …`);
    const steps = await stepKills(join(folder, "steps"), size.everyStep);
    log(`${steps.kills} kills; kills at random moments …`);
    const random = await randomKills(join(folder, "random"), size.randomKills, seed);
    log(`${random.kills} kills; codex reads ${size.files} files …`);
    const read = await codexReads(join(folder, "files"), size.files, seed);
    return {
      migrations: raced.migrations,
      edits: raced.edits,
      putAside: raced.putAside,
      naiveLost: naive.broken.length,
      stepKills: steps.kills,
      randomKills: random.kills,
      filesRead: read.files,
      broken: [...raced.broken, ...steps.broken, ...random.broken, ...read.broken],
    };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
