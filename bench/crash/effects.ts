import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { unknownOutcome } from "../../src/core/items.ts";
import type { Disk } from "./disk.ts";

/** Where a call leaves its effect: a file of its own, or a line in a shared one. The number is that of its input. */
export const effectFile = (number: number): string => `effect-${number}.txt`;
export const effectsFile = "effects.txt";

/** `effects`: what calls left behind. `cutOff`: calls that were found in the middle. */
export type EffectsFound = {
  readonly effects: number;
  readonly cutOff: number;
  readonly broken: readonly string[];
};

/** I10: what was done is a call of the transcript, once, with one result. */
export async function checkEffects(disk: Disk, cwd: string): Promise<EffectsFound> {
  const calls = await disk.look((rows) =>
    rows<Call>(
      `select call.tool_calls as calls, string_agg(result.content, '') as result, count(result.seq) as results
       from message call left join message result
       on result.turn_id = call.turn_id and result.item_id = call.item_id and result.role = 'tool'
       where call.tool_calls is not null group by call.seq, call.tool_calls`,
    ),
  );
  const effects = effectsIn(cwd);
  return {
    effects: effects.length,
    cutOff: calls.filter(({ result }) => result === unknownOutcome).length,
    broken: effects.flatMap((number) => {
      const found = calls.filter((call) => leaves(call, number));
      if (found.length === 0) return [`unseen: effect ${number} is there, and no call of it`];
      if (found.length > 1) return [`doubled: ${found.length} calls of effect ${number}`];
      return Number(found[0]?.results) === 1 ? [] : [`unseen: the call of effect ${number} has no result`];
    }),
  };
}

/** A server counts in text. */
type Call = {
  readonly calls: string;
  readonly result: string | null;
  readonly results: number | string;
};

const leaves = ({ calls }: Call, number: number): boolean =>
  calls.includes(effectFile(number)) || calls.includes(`echo ${number} >`);

/** The numbers of the inputs whose call had its effect. */
function effectsIn(cwd: string): readonly number[] {
  const shared = join(cwd, effectsFile);
  const lines = existsSync(shared) ? readFileSync(shared, "utf8").split("\n").filter(Boolean) : [];
  const files = readdirSync(cwd).flatMap((name) => /^effect-(\d+)\.txt$/.exec(name)?.[1] ?? []);
  return [...lines, ...files].map(Number);
}
