import type { ListedMemory } from "../../core/learning.ts";
import type { Store } from "../../store/store.ts";
import type { LearnedFiles } from "../index.ts";
import { joinedLength, textsOf } from "../memory/entries.ts";
import type { MemoryFile } from "../memory/memory-files.ts";
import { activeSince, entryOrigins, entryKey } from "./uses.ts";

export type MemoryListDeps = {
  readonly store: Pick<Store, "revisions" | "learnedUses">;
  readonly files: Pick<LearnedFiles, "read">;
  /** Of the person, and of the project that a folder belongs to. */
  readonly places: (cwd: string) => Promise<readonly MemoryFile[]>;
  /** Why models are not told an entry. */
  readonly leftOut?: (entry: string) => string | undefined;
};

const mostRevisions = 2000;

export async function memoryList(deps: MemoryListDeps, cwd: string): Promise<readonly ListedMemory[]> {
  const { store, files, places } = deps;
  const sums = await store.learnedUses.sums("memory");
  const uses = new Map(sums.map((sum) => [sum.name, sum.uses]));
  const lists: ListedMemory[] = [];
  for (const { file, target, limit } of await places(cwd)) {
    const texts = textsOf(await files.read(file));
    const origins = entryOrigins(
      await store.revisions.list({ file, states: ["active"], limit: mostRevisions }),
    );
    const entries = texts.map((text) => {
      const origin = origins.get(text);
      const leftOut = deps.leftOut?.(text);
      return {
        text,
        ...(origin === undefined ? {} : { since: activeSince(origin), by: origin.by }),
        uses: uses.get(entryKey(text)) ?? 0,
        ...(leftOut === undefined ? {} : { leftOut }),
      };
    });
    lists.push({ file, target, limit, chars: joinedLength(texts), entries });
  }
  return lists;
}
