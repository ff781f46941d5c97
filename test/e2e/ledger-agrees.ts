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
};

/**
 * Fails unless the ledgers of these homes have what the model said its answers took, no token more or less: a request
 * that nobody noted, or noted twice, shows in the sum. A request that was cut off said nothing, so the turn that it was
 * cut off in must be there. Where the test ended in the middle of a turn, what that one's last answer took may be missing.
 */
export async function assertLedgerAgrees(
  folders: readonly string[],
  models: readonly DemoModel[],
): Promise<void> {
  const files = [...new Set((await Promise.all(folders.map(storesIn))).flat())];
  const rows = files.flatMap(ledgerIn);
  const turns = files.flatMap((file) => ask<{ state: string }>(file, "select state from turn"));
  const reported = models.map((model) => model.reported);
  const [requests, answers] = [total(models, "total"), total(reported, "answers")];
  const wanted = { input: total(reported, "input"), output: total(reported, "output") };
  const has = { input: total(rows, "input"), output: total(rows, "output") };
  const told = `The model had ${requests} requests and reported tokens for ${answers} of them; the ledger has ${JSON.stringify(rows)}`;
  const isCutOff = turns.some(({ state }) => state === "open");
  if (isCutOff) assert.ok(has.input <= wanted.input && has.output <= wanted.output, told);
  else assert.deepEqual(has, wanted, told);
  if (requests > answers) assert.ok(turns.length + rows.length > 0, `Nobody kept a request. ${told}`);
}

/** What is in the ledger of a home, oldest first. */
export const ledgerOf = (home: string): readonly Spent[] => ledgerIn(join(home, "talaria.db"));

const ledgerIn = (file: string): readonly Spent[] =>
  ask<Spent>(file, "select cause, runtime, turn_id, input, output from usage order by seq");

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
