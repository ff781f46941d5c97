import { type Fields, fieldsOf, listOf, textIn } from "../wire/fields.ts";
import { readFrom, sizeOf } from "./silent-calls.ts";

/**
 * How many scripts of a model that works by writing code are not finished. Codex pauses them with the end of their turn
 * and goes on with them in any later one, and tells no client of it; the file in which it writes the thread down does.
 * Counts from where the file is now. Never rejects: what cannot be read was not there.
 */
export async function leftScripts(file: string | undefined): Promise<() => Promise<number>> {
  if (file === undefined) return async () => 0;
  const from = await sizeOf(file);
  return async () => {
    const text = (await readFrom(file, from)).toString("utf8");
    return text.includes(running) ? unfinished(text.split("\n").map(payloadOf)) : 0;
  };
}

const running = "Script running with cell ID ";

function unfinished(entries: readonly Fields[]): number {
  const cells = new Set<string>();
  const waits = new Map<string, string>();
  for (const entry of entries) {
    const call = textIn(entry, "call_id") ?? "";
    if (entry["type"] === "function_call" && entry["name"] === "wait") waits.set(call, cellOf(entry));
    if (textIn(entry, "type")?.endsWith("_call_output") !== true) continue;
    const [, cell] = /^Script running with cell ID (\S+)/.exec(outputOf(entry)) ?? [];
    if (cell === undefined) cells.delete(waits.get(call) ?? "");
    if (cell !== undefined) cells.add(cell);
  }
  return cells.size;
}

function payloadOf(line: string): Fields {
  if (!line.includes("call")) return {};
  try {
    return fieldsOf(fieldsOf(JSON.parse(line))["payload"]);
  } catch {
    return {};
  }
}

const cellOf = (call: Fields): string => {
  const [, cell = ""] = /"cell_id"\s*:\s*"?([^",}\s]+)/.exec(textIn(call, "arguments") ?? "") ?? [];
  return cell;
};

const outputOf = ({ output }: Fields): string =>
  typeof output === "string"
    ? output
    : listOf(output)
        .map((part) => textIn(fieldsOf(part), "text") ?? "")
        .join("");
