import { readFile, rm } from "node:fs/promises";
import { isPlainObject } from "../../core/json.ts";
import { writeFileAtomic } from "../../lib/files/atomic-file.ts";
import type { ParsedSkill } from "./skill-format.ts";

/** What was read of SKILL.md files, by their paths: they are read again only when they were saved since. */
export type Heads = Map<string, { readonly mark: string; readonly parsed: ParsedSkill }>;

/** Reading fewer skills is as fast as reading the cache. */
const worthwhile = 200;
const version = 2;

/** Front matter that outlives the process, in a cache file that may be deleted at any time. */
export interface HeadCache {
  heads(): Promise<Heads>;
  /** Saves them. `changed`: how many were added or removed since. */
  keep(changed: number): Promise<void>;
}

/** `file`: none for heads that go with the process. */
export function headCache(file?: string): HeadCache {
  let loading: Promise<Heads> | undefined;
  const heads = (): Promise<Heads> => (loading ??= file === undefined ? fresh() : load(file));
  return {
    heads,
    async keep(changed) {
      const known = await heads();
      if (file === undefined || changed === 0) return;
      if (known.size < worthwhile) return rm(file, { force: true }).catch(() => {}); // or next time
      const text = JSON.stringify({ version, heads: [...known] });
      await writeFileAtomic(file, text).catch(() => {}); // they are read again
    },
  };
}

const fresh = async (): Promise<Heads> => new Map();

async function load(file: string): Promise<Heads> {
  try {
    const kept: unknown = JSON.parse(await readFile(file, "utf8"));
    if (!isPlainObject(kept) || kept["version"] !== version) return fresh();
    return new Map(kept["heads"] as [string, { readonly mark: string; readonly parsed: ParsedSkill }][]);
  } catch {
    return fresh();
  }
}
