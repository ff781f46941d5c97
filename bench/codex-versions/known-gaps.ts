import { compareVersions } from "./versions.ts";

/** A test that releases before `below` need not pass, and why nothing of ours can make them. */
export type KnownGap = { readonly test: string; readonly below: string; readonly reason: string };

export const knownGaps: readonly KnownGap[] = [
  {
    test: "results of several calls come in the order of the calls",
    below: "0.145.0",
    reason:
      "calls of one answer wait for each other there, and the last may come first: codex itself takes them up in any order",
  },
];

export const isKnownGap = (test: string, version: string): boolean =>
  knownGaps.some((gap) => gap.test === test && compareVersions(version, gap.below) < 0);
