import type { Ask } from "../../src/core/asking.ts";
import type { ApprovalId } from "../../src/core/ids.ts";
import type { Resolution } from "../../src/store/store.ts";
import type { Tables } from "./world.ts";

/** Ways in which the program could be wrong, each made at a seam around it. */
export const mutants = ["timeout-allows", "no-epoch-check", "second-answer-wins"] as const;
export type Mutant = (typeof mutants)[number];

/** Silence is taken for a yes. */
export const timeoutAllows =
  (ask: Ask): Ask =>
  async (question, signal) => {
    const decision = await ask(question, signal);
    return decision.why === "timeout" ? { choice: "once", why: "person" } : decision;
  };

/** Whoever answers last decides, for as long as somebody looks. */
export function secondAnswerWins(store: Tables, later: Map<ApprovalId, Resolution>): Tables {
  return {
    ...store,
    approvals: {
      ...store.approvals,
      async resolve(id, resolution) {
        if (await store.approvals.resolve(id, resolution)) return true;
        if (resolution.why !== "person") return false;
        later.set(id, resolution);
        return true;
      },
      async get(id) {
        const row = await store.approvals.get(id);
        const { state, why, by } = later.get(id) ?? {};
        if (row === undefined || state === undefined || why === undefined) return row;
        return { ...row, state, why, ...(by === undefined ? {} : { by }) };
      },
    },
  };
}
