import { oneLine } from "../../core/plain-text.ts";
import { matches } from "./paths.ts";
import type { InspectedInvocation } from "./danger.ts";
import { typed } from "../shell/shell-invocation.ts";

/** The first of the person's deny globs that a command, or a part of it that would run, falls under. */
export function deniedBy(
  command: string,
  inspected: readonly InspectedInvocation[],
  globs: readonly string[],
): string | undefined {
  if (globs.length === 0) return undefined;
  const texts = new Set([command, command.trim(), oneLine(command)]);
  for (const { invocation, name, args } of inspected) {
    const text = oneLine(typed(invocation));
    texts.add(text).add([name, ...args].join(" "));
  }
  const lowered = Array.from(texts, (text) => text.toLowerCase()).filter((text) => text !== "");
  return globs.find((glob) => {
    const pattern = literally(glob.trim().toLowerCase());
    return pattern !== "" && lowered.some((text) => matches(pattern, text));
  });
}

/** In a deny glob only `*` and `?` mean something; `?` matches the bracket that is meant as itself. */
const literally = (glob: string): string => glob.replaceAll("[", "?");
