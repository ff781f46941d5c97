import { joinedLength } from "./entries.ts";

export type MemoryTarget = "memory" | "user" | "project";

/** How many characters a file of memory may have. */
export type MemoryLimits = Readonly<Record<MemoryTarget, number>>;

/** One that a person made too long may become shorter step by step. */
export function isTooFull(after: readonly string[], before: readonly string[], limit: number): boolean {
  const size = joinedLength(after);
  return size > limit && size >= joinedLength(before);
}
