import type { CardRun } from "../../core/cards/cards.ts";
import { type Json, isPlainObject } from "../../core/json.ts";

/** So many attempts in a row that leave the same behind are one too many. */
const mostAlike = 3;

/** Why a person has to look: this attempt and those before it have left the same behind. `runs`: with the one that ends. */
export function withoutProgress(runs: readonly CardRun[], mark: Json | undefined): string | undefined {
  if (mark === undefined) return undefined;
  const before = runs
    .filter(({ endedAt }) => endedAt !== undefined)
    .toSorted((one, other) => other.epoch - one.epoch)
    .slice(0, mostAlike - 1);
  const isAlike = ({ outcome, evidence }: CardRun): boolean =>
    outcome !== "completed" && isPlainObject(evidence) && evidence["mark"] === mark;
  if (before.length < mostAlike - 1 || !before.every(isAlike)) return undefined;
  return `${mostAlike} attempts in a row have changed nothing: look at what stops it`;
}
