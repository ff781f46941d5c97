import { HttpFailure } from "./failures.ts";
import type { Behind, Visitor } from "./visit.ts";

const day = 86_400_000;

/** Before a turn is begun: what this key may use in a day is not used up. */
export async function requireBudget(
  { budget, id }: Visitor,
  { http, clock }: Pick<Behind, "http" | "clock">,
): Promise<void> {
  if (budget === undefined) return;
  const now = clock.now();
  const midnight = now - (now % day);
  const { tokens, usd } = await http.access.spentBy(id, midnight);
  const isOver =
    (budget.tokens !== undefined && tokens >= budget.tokens) ||
    (budget.usd !== undefined && usd >= budget.usd);
  if (!isOver) return;
  throw new HttpFailure(
    429,
    "quota",
    "This key has used up what it may use in a day.",
    "It goes on at midnight (UTC), or with another key.",
    {
      retryAfter: Math.ceil((midnight + day - now) / 1000),
    },
  );
}
