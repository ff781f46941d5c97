import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { DemoModel } from "../fakes/demo-model.ts";

/** A row of the ledger of costs. */
export type Spent = {
  readonly cause: string;
  readonly runtime: string;
  readonly turn_id: string | null;
  readonly input: number;
  readonly output: number;
  readonly uncounted: 1 | null;
};

/**
 * Fails unless the ledgers of these homes have what the model said its answers took, no token more or less: a request
 * that nobody noted, or noted twice, shows in the sum. A request that was cut off said nothing, so the turn that it was
 * cut off in must be there. Where the ledger says that nobody counted an answer, or a turn is open still, just that answer
 * may be missing.
 */
export async function assertLedgerAgrees(
  folders: readonly string[],
  models: readonly DemoModel[],
): Promise<void> {
  const files = [...new Set((await Promise.all(folders.map(storesIn))).flat())];
  const rows = files.flatMap(ledgerIn);
  const turns = files.flatMap((file) =>
    ask<{ state: string; usage: string | null }>(file, "select state, usage from turn"),
  );
  const open = turns.filter(({ state }) => state === "open");
  // What is noted with an open turn comes into the ledger when it is closed.
  const noted = open.flatMap(({ usage }) => (usage === null ? [] : [JSON.parse(usage) as Answer]));
  const reported = models.flatMap((model) => model.reported);
  const requests = total(models, "total");
  const missing = {
    input: total(reported, "input") - total([...rows, ...noted], "input"),
    output: total(reported, "output") - total([...rows, ...noted], "output"),
  };
  const told = `The model had ${requests} requests and reported tokens for ${reported.length} of them; the ledger has ${JSON.stringify(rows)}`;
  const cutOff = open.length + rows.filter(isUncounted).length;
  if (!isSumOf(missing, reported, cutOff)) assert.deepEqual(missing, { input: 0, output: 0 }, told);
  if (requests > reported.length) assert.ok(turns.length + rows.length > 0, `Nobody kept a request. ${told}`);
}

const isUncounted = ({ uncounted }: Spent): boolean => uncounted === 1;

type Answer = Pick<Spent, "input" | "output">;

/** Is it the sum of so many of these, or fewer? */
function isSumOf({ input, output }: Answer, answers: readonly Answer[], most: number): boolean {
  if (input === 0 && output === 0) return true;
  if (most === 0 || input < 0 || output < 0) return false;
  return answers.some((one, at) =>
    isSumOf({ input: input - one.input, output: output - one.output }, answers.slice(at + 1), most - 1),
  );
}

/** What is in the ledger of a home, oldest first. */
export const ledgerOf = (home: string): readonly Spent[] => ledgerIn(join(home, "talaria.db"));

const ledgerIn = (file: string): readonly Spent[] =>
  ask<Spent>(file, "select cause, runtime, turn_id, input, output, uncounted from usage order by seq");

const storesIn = (folder: string): Promise<readonly string[]> =>
  existsSync(folder)
    ? Array.fromAsync(glob("**/talaria.db", { cwd: folder }), (name) => join(folder, name))
    : Promise.resolve([]);

function ask<Row>(file: string, query: string): readonly Row[] {
  using db = new DatabaseSync(file, { readOnly: true });
  return db.prepare(query).all() as unknown as readonly Row[];
}

const total = <Key extends string>(all: readonly Readonly<Record<Key, number>>[], key: Key): number =>
  all.reduce((sum, each) => sum + each[key], 0);
