import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { unknownOutcome } from "../../src/core/items.ts";

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
export function checkEffects({ home, cwd }: { readonly home: string; readonly cwd: string }): EffectsFound {
  using db = new DatabaseSync(join(home, "talaria.db"), { readOnly: true });
  const calls = db
    .prepare(
      `select call.tool_calls calls, group_concat(result.content, '') result, count(result.seq) results
       from message call left join message result
       on result.turn_id = call.turn_id and result.item_id = call.item_id and result.role = 'tool'
       where call.tool_calls is not null group by call.seq`,
    )
    .all() as unknown as readonly Call[];
  const effects = effectsIn(cwd);
  return {
    effects: effects.length,
    cutOff: calls.filter(({ result }) => result === unknownOutcome).length,
    broken: effects.flatMap((number) => {
      const found = calls.filter((call) => leaves(call, number));
      if (found.length === 0) return [`unseen: effect ${number} is there, and no call of it`];
      if (found.length > 1) return [`doubled: ${found.length} calls of effect ${number}`];
      return found[0]?.results === 1 ? [] : [`unseen: the call of effect ${number} has no result`];
    }),
  };
}

type Call = { readonly calls: string; readonly result: string | null; readonly results: number };

const leaves = ({ calls }: Call, number: number): boolean =>
  calls.includes(effectFile(number)) || calls.includes(`echo ${number} >`);

/** The numbers of the inputs whose call had its effect. */
function effectsIn(cwd: string): readonly number[] {
  const shared = join(cwd, effectsFile);
  const lines = existsSync(shared) ? readFileSync(shared, "utf8").split("\n").filter(Boolean) : [];
  const files = readdirSync(cwd).flatMap((name) => /^effect-(\d+)\.txt$/.exec(name)?.[1] ?? []);
  return [...lines, ...files].map(Number);
}
