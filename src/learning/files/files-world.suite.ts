import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testStores } from "../../../test/stores.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import type { Json } from "../../core/json.ts";
import type { LearnedFrom, Revision } from "../../core/learning.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { fileSwapper } from "../../lib/files/swap-file.ts";
import type { RevisionTable } from "../../store/schema/learning-tables.ts";
import type { StorePlace } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import type { LearnedChange, LearnedFiles, Redo } from "../index.ts";
import { redoMemory } from "../memory/redo.ts";
import { type LearnedFilesDeps, learnedFiles } from "./learned-files.ts";

export const memory = "memories/MEMORY.md";
export const skill = "skills/deploy/SKILL.md";

/** A home with a store, and the files of memory and skills in it. */
export type FilesWorld = AsyncDisposable & {
  readonly home: string;
  readonly place: StorePlace;
  readonly store: Store;
  readonly files: LearnedFiles;
  readonly logged: string[];
  /** As another process has them, with parts of its own. */
  other(parts: Partial<LearnedFilesDeps>): LearnedFiles;
  text(file?: string): Promise<string | undefined>;
  /** As an editor does. */
  save(text: string, file?: string): Promise<void>;
  /** Newest first. */
  rows(file?: string): Promise<readonly Revision[]>;
  /** All names below the two folders. */
  names(): Promise<readonly string[]>;
};

export async function filesWorld(): Promise<FilesWorld> {
  await using parts = new AsyncDisposableStack();
  const { path: home } = parts.use(await tempFolder());
  const { place, open } = parts.use(await testStores(home));
  const store = await open();
  const logged: string[] = [];
  const deps: LearnedFilesDeps = {
    home,
    revisions: store.revisions,
    redo: { memory: redoMemory({ memory: 2200, user: 1375, project: 2200 }), skill: becomes },
    clock: quickClock(),
    swap: fileSwapper({ PATH: "" }, systemClock),
    log: (line) => logged.push(line),
  };
  const path = (file: string): string => join(home, file);
  const kept = parts.move();
  return {
    home,
    place,
    store,
    logged,
    files: learnedFiles(deps),
    other: (also) => learnedFiles({ ...deps, ...also }),
    text: (file = memory) => readFile(path(file), "utf8").catch(() => undefined),
    save: (text, file = memory) => writeFile(path(file), text),
    rows: (file) => store.revisions.list({ limit: 1000, ...(file === undefined ? {} : { file }) }),
    names: async () => [...(await namesBelow(home, "memories")), ...(await namesBelow(home, "skills"))],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A change of a skill is its new text, or null for none. */
const becomes: Redo = (change) => (typeof change === "string" ? change : undefined);

/** Time passes only by sleeping, at once. */
export function quickClock(): Clock {
  let slept = 0;
  return {
    now: () => systemClock.now() + slept,
    monotonic: () => systemClock.monotonic() + slept,
    sleep: async (ms) => {
      slept += ms;
    },
  };
}

export const person: LearnedFrom = { by: "person", evidence: [], trusted: true };

export const adds = (content: string): LearnedChange => ({
  kind: "memory",
  file: memory,
  summary: `MEMORY.md: ${content}`,
  change: { action: "add", target: "memory", content },
  from: { by: "agent", evidence: ["I said so"], trusted: true },
});

export const edits = (change: Json, file = memory): LearnedChange => ({
  ...adds("something"),
  kind: file.startsWith("skills/") ? "skill" : "memory",
  file,
  change,
});

/** Calls of the table, one by one: `step` is told before and after each. */
export const stepping = (revisions: RevisionTable, step: (name: string) => Promise<void>): RevisionTable =>
  new Proxy(revisions, {
    get(table, name: keyof RevisionTable) {
      const method = table[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        await step(`before ${name}`);
        const result = await method(...args);
        await step(`after ${name}`);
        return result;
      };
    },
  });

async function namesBelow(home: string, folder: string): Promise<readonly string[]> {
  const found = await readdir(join(home, folder), { recursive: true }).catch(() => []);
  return found.map((name) => `${folder}/${name}`).toSorted();
}
