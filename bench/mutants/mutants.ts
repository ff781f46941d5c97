import { agentMutants } from "./agent-mutants.ts";
import { approvalMutants } from "./approval-mutants.ts";
import { baseMutants } from "./base-mutants.ts";
import { hostMutants } from "./host-mutants.ts";
import { learningMutants } from "./learning-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { runtimeMutants } from "./runtime-mutants.ts";
import { storeMutants } from "./store-mutants.ts";
import { surfaceMutants } from "./surface-mutants.ts";
import { toolMutants } from "./tool-mutants.ts";

/** Chosen by reading, where a slip would break a promise, over all folders of the sources. */
export const mutants: readonly Mutant[] = [
  ...storeMutants,
  ...agentMutants,
  ...approvalMutants,
  ...runtimeMutants,
  ...toolMutants,
  ...learningMutants,
  ...surfaceMutants,
  ...hostMutants,
  ...baseMutants,
];
