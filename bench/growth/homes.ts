import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/lib/clock.ts";
import { migrations } from "../../src/store/sqlite/schema.ts";
import { type Shape, fill } from "./fill.ts";
import { measured, openMeasured, runTurn } from "./host.ts";

export const seed = 20260118;
/** Of what is filled in. */
const version = 2;

/** A home of this shape in an empty folder, with others beside it. Large ones are filled once and kept for later runs, outside of the tree. */
export async function homeOf(shape: Shape, home: string): Promise<void> {
  const isLarge = shape.sessions * shape.turnsEach + shape.measuredTurns > smallTurns;
  const kept = isLarge ? join(tmpdir(), "talaria-growth", keyOf(shape)) : `${home}.${keyOf(shape)}`;
  if (!(await isThere(kept))) await makeHome(shape, kept);
  await mkdir(home, { mode: 0o700 });
  await copyFile(join(kept, "talaria.db"), join(home, "talaria.db"), constants.COPYFILE_FICLONE);
}

const smallTurns = 1000;

/** Some of the texts in it. */
export function textsIn(path: string, count: number): readonly string[] {
  using db = new DatabaseSync(path, { readOnly: true });
  const newest = Number(db.prepare("SELECT max(seq) AS seq FROM message").get()?.["seq"]);
  const step = Math.max(1, Math.floor(newest / count));
  const rows = db.prepare("SELECT content FROM message WHERE seq % ? = 0").all(step);
  return rows.map(({ content }) => String(content));
}

async function makeHome(shape: Shape, kept: string): Promise<void> {
  const part = `${kept}.${process.pid}`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true, mode: 0o700 });
  {
    await using host = await openMeasured(part);
    await runTurn(host, "loop", measured, "/");
  }
  fill(join(part, "talaria.db"), measured, shape, seed, systemClock.now());
  await rename(part, kept);
}

/** Another schema, shape or filling is another home. */
const keyOf = (shape: Shape): string =>
  createHash("sha256")
    .update(JSON.stringify([shape, seed, version, migrations]))
    .digest("hex")
    .slice(0, 16);

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
