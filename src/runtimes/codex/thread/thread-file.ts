import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { type Fields, fieldsOf, listOf, textIn } from "../wire/fields.ts";

/** More than that at once is no answer to a command. */
const mostBytes = 32 * 1024 * 1024;

/** Of the file in which codex writes a thread down. Not there: nothing. */
export function sizeOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/**
 * Never throws: what cannot be read was not there. A turn reads it four times, and what it has added is in memory: to wait
 * for that would take longer.
 */
export function readFrom(file: string, from: number): Buffer {
  try {
    const opened = openSync(file, "r");
    try {
      const length = Math.max(0, Math.min(fstatSync(opened).size - from, mostBytes));
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(opened, buffer, 0, length, from));
    } finally {
      closeSync(opened);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** A line of it, as far as it is about what the model said and took, or begins a turn. */
export type ThreadLine = { readonly kind: unknown; readonly payload: Fields };

export function readLine(line: string): ThreadLine {
  if (!relevant.test(line)) return nothing;
  try {
    const { type: kind, payload } = fieldsOf(JSON.parse(line));
    return { kind, payload: fieldsOf(payload) };
  } catch {
    return nothing; // the last line of a killed process may be torn
  }
}

const nothing: ThreadLine = { kind: "", payload: {} };

/** Some of the others are long. */
const relevant =
  /"(turn_context|(function|custom_tool)_call(_output)?|token_usage_record|reasoning|assistant)"/;

/** Undefined: it is no answer to a call. */
export function outputOf({ type, output }: Fields): string | undefined {
  if (typeof type !== "string" || !type.endsWith("_call_output")) return undefined;
  if (typeof output === "string") return output;
  return listOf(output)
    .map((part) => textIn(fieldsOf(part), "text") ?? "")
    .join("");
}

/** The script that a call of the model waits for. */
export const waitedFor = (call: Fields): string => {
  const [, cell = ""] = /"cell_id"\s*:\s*"?([^",}\s]+)/.exec(textIn(call, "arguments") ?? "") ?? [];
  return cell;
};

/** The script that an answer says is not finished yet. */
export const unfinishedScript = (output: string): string | undefined =>
  /^Script running with cell ID (\S+)/.exec(output)?.[1];
