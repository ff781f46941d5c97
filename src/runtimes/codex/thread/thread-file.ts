import { open, stat } from "node:fs/promises";
import { type Fields, fieldsOf, listOf, textIn } from "../wire/fields.ts";

/** More than that at once is no answer to a command. */
const mostBytes = 32 * 1024 * 1024;

/** Of the file in which codex writes a thread down. Not there: nothing. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  return found?.size ?? 0;
}

/** Never rejects: what cannot be read was not there. */
export async function readFrom(file: string, from: number): Promise<Buffer> {
  try {
    await using opened = await open(file);
    const { size } = await opened.stat();
    const length = Math.max(0, Math.min(size - from, mostBytes));
    const { bytesRead, buffer } = await opened.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  }
}

/** A line of it, as far as it is about calls of the model or begins a turn. */
export type ThreadLine = { readonly kind: unknown; readonly payload: Fields };

export function readLine(line: string): ThreadLine {
  // Only these matter, and some of the others are long.
  if (!/"(turn_context|(function|custom_tool)_call(_output)?)"/.test(line)) return { kind: "", payload: {} };
  try {
    const { type: kind, payload } = fieldsOf(JSON.parse(line));
    return { kind, payload: fieldsOf(payload) };
  } catch {
    return { kind: "", payload: {} }; // the last line of a killed process may be torn
  }
}

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
