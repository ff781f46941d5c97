import { lanes } from "../lib/lanes.ts";
import type { Apart, Work } from "./engine.ts";

type Transact = <T>(apart: Apart, work: Work<T>) => Promise<T>;

/**
 * Each write is a transaction of its own. Sessions are written side by side; what would wait for the same lock goes in
 * line here, in the order in which it was asked for, and takes no connection while it waits.
 */
export function ownCommits(transact: Transact): { readonly run: Transact; settled(): Promise<void> } {
  const lines = lanes<Apart>();
  return {
    run: (apart, work) => lines.run(apart, () => transact(apart, work)),
    settled: () => lines.drain(),
  };
}
