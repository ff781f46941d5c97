import { createHash } from "node:crypto";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Revision } from "../../core/learning.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import type { LearnedFiles } from "../index.ts";
import { textsOf } from "../memory/entries.ts";
import type { MemoryFile } from "../memory/memory-files.ts";
import { folded } from "./folded.ts";

/** The name under which uses of a memory entry are counted. It says nothing of what the entry says. */
export const entryKey = (entry: string): string =>
  createHash("sha256").update(folded(entry)).digest("hex").slice(0, 16);

export type UsesDeps = {
  readonly store: Pick<Store, "sessions" | "snapshots" | "learnedUses">;
  readonly files: Pick<LearnedFiles, "read">;
  readonly memoryFiles: (cwd: string) => Promise<readonly MemoryFile[]>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** Counted for one turn. The size limits of the files leave room for hardly more. */
const mostEntries = 30;

/**
 * Counts the memory entries that a turn's model was told: those in the session's snapshot that are still in the files.
 * In one write, and only after the turn has ended. Never rejects.
 */
export const useRecorder =
  ({ store, files, memoryFiles, clock, log }: UsesDeps) =>
  async (session: SessionId, turn: TurnId): Promise<void> => {
    try {
      const [snapshot, found] = await Promise.all([
        store.snapshots.get(session),
        store.sessions.get(session),
      ]);
      if (snapshot === undefined || found === undefined) return;
      const told = folded(snapshot);
      const texts: string[] = [];
      for (const { file } of await memoryFiles(found.cwd)) texts.push(...textsOf(await files.read(file)));
      const uses = texts
        .filter((text) => told.includes(folded(text)))
        .slice(0, mostEntries)
        .map((text) => ({ kind: "memory" as const, name: entryKey(text), session, turn, at: clock.now() }));
      if (uses.length > 0) await store.learnedUses.add(uses);
    } catch (error) {
      log(`uses of memory in ${turn} were not counted: ${String(error)}`);
    }
  };

/** The revision that brought each entry of a file of memory in, by its text. `rows`: active ones, newest first. */
export function entryOrigins(rows: readonly Revision[]): ReadonlyMap<string, Revision> {
  const origins = new Map<string, Revision>();
  for (const row of rows.toReversed()) {
    const before = new Set(textsOf(row.before));
    for (const text of textsOf(row.after)) if (!before.has(text)) origins.set(text, row);
  }
  return origins;
}
