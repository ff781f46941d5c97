import type { StoredInput, StoredTurn } from "../core/session.ts";
import type { OutcomeState } from "../core/work/work.ts";
import type { Settled } from "../store/schema/work-tables.ts";

/** What is known of a piece of work that runs no more. */
export type Ended = {
  readonly input: StoredInput | undefined;
  readonly turn: StoredTurn | undefined;
  /** What it said last. */
  readonly text: string;
  /** It has said or done something. */
  readonly hasItems: boolean;
  /** What it wanted to do, and nobody was there to allow. */
  readonly notAsked: readonly string[];
};

type Ending = Omit<Settled, "at"> | { readonly againInMs: number; readonly why: string };

/** After which times work is tried again whose model was never reached. */
const againAfterMs = [5, 15, 30].map((minutes) => minutes * 60_000);

/** A turn that nobody typed may keep its answer to itself. */
const isSilent = (text: string): boolean => /^\s*\[SILENT\]/.test(text);

/** How it ended, or when it is tried again. Pure: whoever looks, before or after a crash, sees the same. */
export function endingOf({ input, turn, text, hasItems, notAsked }: Ended): Ending {
  if (turn === undefined)
    return told("failed", input === undefined ? "its session was deleted" : "it could not be started");
  const { fault, state } = turn;
  const again = againAfterMs[(input?.work?.attempt ?? 1) - 1];
  if (fault !== undefined && unreached.has(fault.code) && !hasItems && again !== undefined)
    return { againInMs: again, why: fault.message };
  if (notAsked.length > 0)
    return told("refused", `it needed an approval, and nobody was there to ask: ${notAsked.join("; ")}`);
  if (state === "done") return isSilent(text) ? { state: "ran", delivery: "silent" } : told("ran");
  if (fault !== undefined) return told("failed", fault.message);
  return told(
    "failed",
    state === "interrupted" ? "it was interrupted before it had ended" : "nobody can say how it ended",
  );
}

/** The model was not reached, or would not begin. */
const unreached: ReadonlySet<string> = new Set(["network", "overloaded", "rate_limited"]);

const told = (state: Exclude<OutcomeState, "planned">, reason?: string): Omit<Settled, "at"> => ({
  state,
  delivery: "pending",
  ...(reason === undefined ? {} : { reason }),
});
