import type { Store } from "../../src/store/store.ts";
import type { Mutant } from "./job.ts";

/** The same store with one deliberate fault. */
export function mutated(store: Store, mutant: Mutant | undefined): Store {
  if (mutant === undefined) return store;
  const bound: Store = {
    ...store,
    search: store.search.bind(store),
    [Symbol.asyncDispose]: store[Symbol.asyncDispose].bind(store),
  };
  if (mutant === "forget-thread") return { ...bound, bindings: { ...store.bindings, save: async () => {} } };
  return { ...bound, turns: { ...store.turns, keep: showFirst(store) } };
}

/** Says "kept" first and keeps afterwards. */
const showFirst =
  ({ turns }: Store): Store["turns"]["keep"] =>
  async (...args) => {
    setImmediate(() => void turns.keep(...args).catch(() => {}));
    return true;
  };
