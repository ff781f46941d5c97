import { type Fields, textIn } from "../wire/fields.ts";
import { outputOf, readFrom, readLine, sizeOf, unfinishedScript, waitedFor } from "./thread-file.ts";

/**
 * How many scripts of a model that works by writing code are not finished. Codex pauses them with the end of their turn
 * and goes on with them in any later one, and tells no client of it; the file in which it writes the thread down does.
 * Counts from where the file is now. Never rejects: what cannot be read was not there.
 */
export async function leftScripts(file: string | undefined): Promise<() => Promise<number>> {
  if (file === undefined) return async () => 0;
  const from = sizeOf(file);
  return async () => {
    const text = readFrom(file, from).toString("utf8");
    const lines = text.includes("Script running with cell ID ") ? text.split("\n") : [];
    return unfinished(lines.map((line) => readLine(line).payload));
  };
}

function unfinished(entries: readonly Fields[]): number {
  const cells = new Set<string>();
  const waits = new Map<string, string>();
  for (const entry of entries) {
    const call = textIn(entry, "call_id") ?? "";
    if (entry["type"] === "function_call" && entry["name"] === "wait") waits.set(call, waitedFor(entry));
    const output = outputOf(entry);
    if (output === undefined) continue;
    const cell = unfinishedScript(output);
    if (cell === undefined) cells.delete(waits.get(call) ?? "");
    if (cell !== undefined) cells.add(cell);
  }
  return cells.size;
}
