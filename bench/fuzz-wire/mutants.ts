import type { Mutant } from "./conversation.ts";
import type { FuzzReport } from "./fuzz-run.ts";

/** Enough for every way a connection can end to come up. */
export const mutantLines = 4_000;

/** How often a run must have noticed each mutant: more than never. */
export const mutants: readonly { readonly name: Mutant; seen(report: FuzzReport): number }[] = [
  { name: "ids-as-text", seen: ({ wrongResolves }) => wrongResolves },
  {
    name: "no-line-cap",
    seen: ({ broken }) => broken["a line over the cap did not end the connection"] ?? 0,
  },
  { name: "lost-answers", seen: ({ broken }) => broken["unanswered requests"] ?? 0 },
];
