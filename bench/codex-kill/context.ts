import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./place.ts";

/** What the model was given for the last turn, or would be: one piece for each message and each result of a call. */
export const contextOf = (place: Place, thread: string): readonly string[] =>
  (place.codex === "real" ? lastRequest(place) : threadLog(place, thread))
    .filter((item) => item.type !== "function_call")
    .map((item) => JSON.stringify(item));

type Item = { readonly type?: string };

const lastRequest = ({ asked }: Place): readonly Item[] =>
  (asked().at(-1) as { readonly input: readonly Item[] } | undefined)?.input ?? [];

type LogRecord =
  | { readonly kind: "item"; readonly item: Item }
  | { readonly kind: "inject"; readonly items: readonly Item[] }
  | { readonly kind: "turn" | "thread" | "end" | "usage" };

function threadLog(place: Place, thread: string): readonly Item[] {
  const records = journalOf(place, thread).split("\n").filter(Boolean);
  return records.flatMap((line) => {
    const record = JSON.parse(line) as LogRecord;
    if (record.kind === "item") return [record.item];
    return record.kind === "inject" ? record.items : [];
  });
}

/** All that codex has written down of a thread. */
export function journalOf({ job, codex }: Place, thread: string): string {
  const pattern = codex === "real" ? `sessions/**/*${thread}.jsonl` : `fake-codex/threads/${thread}.jsonl`;
  const files = globSync(pattern, { cwd: job.codexHome });
  return files.map((file) => readFileSync(join(job.codexHome, file), "utf8")).join("");
}
