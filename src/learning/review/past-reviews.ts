import type { TurnId } from "../../core/ids.ts";
import type { StoredReview } from "../../core/learning.ts";
import type { Owner } from "../../store/store.ts";

type PastReview = Pick<StoredReview, "kind" | "upTo" | "state" | "result"> & { readonly owner: Owner };

/** How the result of a review begins that went over its budget: the conversation would be too long the next time, too. */
export const usedUpWords = "it used up";

/** So often is a review begun anew that did not come to its end. */
const retries = { failed: 1, cancelled: 2 } as const;

/**
 * The last turn that counts as reviewed. One that failed, or whose process is gone, is tried once more; one for which the
 * next turn came too early a little oftener, one that went over its budget not at all. After that it counts as if it had been done: the next one comes in its time.
 * One that runs somewhere counts already.
 */
export function reviewedUpTo(
  reviews: readonly PastReview[],
  kind: StoredReview["kind"],
  isGone: (owner: Owner) => boolean,
): TurnId | undefined {
  let upTo: TurnId | undefined;
  let tries = { failed: 0, cancelled: 0 };
  for (const review of reviews.filter((each) => each.kind === kind)) {
    const miss = missOf(review, isGone);
    if (miss !== undefined && tries[miss] < retries[miss]) {
      tries = { ...tries, [miss]: tries[miss] + 1 };
      continue;
    }
    ({ upTo } = review);
    tries = { failed: 0, cancelled: 0 };
  }
  return upTo;
}

function missOf(
  { state, owner, result }: PastReview,
  isGone: (owner: Owner) => boolean,
): keyof typeof retries | undefined {
  if (state === "failed" && result?.startsWith(usedUpWords) === true) return undefined;
  if (state === "failed" || state === "cancelled") return state;
  return state === "running" && isGone(owner) ? "failed" : undefined;
}
