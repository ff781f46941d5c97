import type { Fault } from "../../core/faults.ts";
import type { InputPart } from "../../core/messages.ts";
import { inputTooLong } from "./process/process-fault.ts";

/** Codex takes no more at once: all texts of an input together, a character outside of the basic plane as one. */
const mostCharacters = 1_048_576;

/** Why codex would not take it. Known before anything is started. */
export function inputFault(input: readonly InputPart[]): Fault | undefined {
  const texts = input.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  if (units <= mostCharacters) return undefined;
  const characters = texts.reduce((sum, text) => sum + codePoints(text), 0);
  if (characters <= mostCharacters) return undefined;
  const counts = [characters, mostCharacters].map((count) => count.toLocaleString("en-US"));
  return inputTooLong(`The message has ${counts[0]} characters, and codex takes ${counts[1]} at most.`);
}

function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) count -= 1;
  return count;
}
