import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Kept, itemIds } from "./kept-turns.ts";
import type { Place } from "./place.ts";
import { readSide } from "../../src/runtimes/codex/thread/turn-side.ts";

/** All that codex has written down of a thread, line by line. */
export function journalOf({ job, codex }: Place, thread: string): readonly string[] {
  const pattern = codex === "real" ? `sessions/**/*${thread}.jsonl` : `fake-codex/threads/${thread}.jsonl`;
  const files = globSync(pattern, { cwd: job.codexHome });
  return files.flatMap((file) => readFileSync(join(job.codexHome, file), "utf8").split("\n").filter(Boolean));
}

/** A conversation stays in its thread once codex has written down an item of it. */
export function strayThreads(place: Place, turns: readonly Kept[]): string[] {
  const threads = [...new Set(turns.flatMap(({ turn }) => readSide(turn.side)?.thread ?? []))];
  return threads
    .slice(0, -1)
    .filter((thread) =>
      itemLines(place, thread).some((line) => turns.some(({ words }) => line.includes(words))),
    )
    .map((thread) => `thread: ${thread} was not resumed, but another one started`);
}

/** After our own death everything that codex has finished is in the transcript, whether or not we had heard of it. */
export function notRecovered(place: Place, turns: readonly Kept[]): string[] {
  const kept = new Set(itemIds(turns));
  const threads = [...new Set(turns.flatMap(({ turn }) => readSide(turn.side)?.thread ?? []))];
  return threads
    .flatMap((thread) => itemLines(place, thread))
    .map((line) => (JSON.parse(line) as JournalItem).payload?.item)
    .filter((item) => item !== undefined && item.type !== "UserMessage" && !kept.has(item.id))
    .map((item) => `lost: ${item?.type} ${item?.id} is in codex's journal and not in the transcript`);
}

type JournalItem = { readonly payload?: { readonly item?: { readonly id: string; readonly type: string } } };

const itemLines = (place: Place, thread: string): readonly string[] =>
  journalOf(place, thread).filter(
    (line) => line.includes('"item_completed"') || line.includes('"kind":"item"'),
  );
