import { short } from "../plain-text.ts";

/** What is said wherever somebody names a runtime that there is not, and what to do about it. */
export const noSuchRuntime = (
  name: string,
  runtimes: readonly string[],
): { readonly message: string; readonly next: string } => ({
  message: `There is no runtime "${short(name, 40)}".`,
  next: `Choose one of: ${runtimes.join(", ")}.`,
});
