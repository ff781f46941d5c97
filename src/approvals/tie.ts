import type { Question } from "../core/asking.ts";
import type { Bound } from "../core/ledger.ts";

/**
 * What a lasting yes is tied to besides the words. `open`: nothing can be, because what would run can be changed after
 * the yes. Undefined: the words say it all, or the sandbox holds it.
 */
export type Tie = { readonly bound: Bound } | { readonly open: string };

/** `folder`: where the turn works, and may write without a question. */
export type TieOf = (question: Pick<Question, "action" | "cwd">, folder: string) => Promise<Tie | undefined>;

export const isSameTie = (one: Tie | undefined, other: Tie | undefined): boolean =>
  boundText(one) === boundText(other);

export const boundOf = (tie: Tie | undefined): Bound | undefined =>
  tie !== undefined && "bound" in tie ? tie.bound : undefined;

/** The files that are not what they were, come or gone. */
export function changedFiles(before: Bound, now: Bound): readonly string[] {
  const files = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...files].filter((file) => before[file] !== now[file]).toSorted();
}

const boundText = (tie: Tie | undefined): string => JSON.stringify(tie ?? null);
