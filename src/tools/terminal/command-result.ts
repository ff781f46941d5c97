import { constants } from "node:os";
import type { ChildExit } from "../../lib/process/child.ts";
import type { ToolResult } from "../tool.ts";

/** In characters: what a model gets of a command's output. */
export const outputLimits = { head: 12_000, tail: 24_000 };

/** Room for the limits and for the line that says how much is missing. */
export const maxOutputChars = outputLimits.head + outputLimits.tail + 1000;

/** `stderr` has only what the sandbox itself wrote: the errors of the command are part of its output. */
export function endedResult(exit: ChildExit, output: string, sandboxed: boolean): ToolResult {
  const exitCode = exitCodeOf(exit);
  if (exitCode === 0) return { ok: true, output: output === "" ? "[no output]" : output, exitCode };
  const notes = [
    ...(exit.signal === null ? [] : [`[ended by ${exit.signal}]`]),
    ...(sandboxed && output === "" && exit.stderrTail.trim() !== ""
      ? [`[the sandbox said: ${exit.stderrTail.trim().slice(-1000)}]`]
      : []),
  ];
  return { ok: false, output: withNotes(output, notes), exitCode };
}

/** Each note on a line of its own. */
export const withNotes = (output: string, notes: readonly string[]): string =>
  notes.length === 0 ? output : [output.trimEnd(), ...notes].filter((part) => part !== "").join("\n");

/** As a shell tells it: a signal counts from 128. */
export const exitCodeOf = ({ code, signal }: Pick<ChildExit, "code" | "signal">): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

/** Passes bytes on as text, as they come. A character that comes in two pieces is passed on whole. */
export function bytesAsText(tell: (text: string) => void = () => {}): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") tell(text);
  };
}
