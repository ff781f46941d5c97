/**
 * For `node --import`: the test runner follows every promise to the test that it belongs to, which is a fifth to a third of what a unit
 * test costs. All it needs is the test in which another one is described. An error that nobody awaits fails its whole file here; who
 * runs the file alone is told of which test it is.
 */
import { createHook } from "node:async_hooks";

// The runner does not ask for what Node offers: hooks that leave promises out. What one of these looks like is taken from one.
const untracked = createHook({ trackPromises: false });
const isUntracked = Object.getOwnPropertySymbols(untracked).find((symbol) => untracked[symbol] === true);
if (isUntracked !== undefined) {
  const hooks = Object.getPrototypeOf(untracked);
  const { enable } = hooks;
  hooks.enable = function () {
    hooks.enable = enable; // The runner's is the first.
    this[isUntracked] = true;
    return this.enable();
  };
}
