import { Refusal, type RefusalCode } from "../host.ts";
import { short } from "../plain-text.ts";

/** What is said wherever somebody names a runtime that there is not, and what to do about it. */
export const noSuchRuntime = (
  name: string,
  runtimes: readonly string[],
  code: RefusalCode = "usage",
): Refusal =>
  new Refusal(code, `There is no runtime "${short(name, 40)}".`, `Choose one of: ${runtimes.join(", ")}.`);
