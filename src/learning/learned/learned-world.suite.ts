import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { testStores } from "../../../test/stores.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { type SessionId, type TurnId, newId } from "../../core/ids.ts";
import type { Learned, LearnedFrom } from "../../core/learning.ts";
import { systemClock } from "../../lib/clock.ts";
import { takeLock } from "../../lib/guarded-file/lock-file.ts";
import { fileSwapper } from "../../lib/files/swap-file.ts";
import type { Store } from "../../store/store.ts";
import { admission, done, hold, newSession } from "../../store/suite/world.suite.ts";
import { type Curator, makeCurator } from "../curator/curator.ts";
import { learnedFiles } from "../files/learned-files.ts";
import type { LearnedFiles } from "../index.ts";
import { redoMemory } from "../memory/redo.ts";
import { redoSkill } from "../skills/skill-change.ts";
import { type Skills, openSkills } from "../skills/skills.ts";
import { withForgetting } from "./forget-redo.ts";
import { learned } from "./learned.ts";
import type { MemoryFile } from "../memory/memory-files.ts";
import { useRecorder } from "./uses.ts";

export const day = 86_400_000;
export const user = "memories/USER.md";

/** A home with a store, and all that people see of learning in it. */
export type LearnedWorld = AsyncDisposable & {
  readonly home: string;
  readonly store: Store;
  readonly files: LearnedFiles;
  readonly skills: Skills;
  readonly curator: Curator;
  readonly learned: Learned;
  readonly recordUses: (session: SessionId, turn: TurnId) => Promise<void>;
  readonly logged: readonly string[];
  /** Later by so much. */
  wait(ms: number): void;
  read(file: string): Promise<string | undefined>;
  /** As an editor does. */
  save(file: string, text: string): Promise<void>;
  add(content: string, from?: Partial<LearnedFrom>): Promise<string>;
  makeSkill(name: string, body?: string, from?: Partial<LearnedFrom>): Promise<string>;
  turn(cwd?: string, calls?: number, words?: string): Promise<{ session: SessionId; turn: TurnId }>;
};

const memoryFiles = async (): Promise<readonly MemoryFile[]> => [
  { file: "memories/MEMORY.md", target: "memory", limit: 2200 },
  { file: user, target: "user", limit: 1375 },
];

const by = (from: Partial<LearnedFrom>): LearnedFrom => ({
  by: "agent",
  evidence: [],
  trusted: true,
  ...from,
});

export async function learnedWorld(): Promise<LearnedWorld> {
  await using parts = new AsyncDisposableStack();
  const { path: home } = parts.use(await tempFolder());
  const store = await parts.use(await testStores(home)).open();
  let later = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + later };
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  const redo = { memory: redoMemory({ memory: 2200, user: 1375, project: 2200 }), skill: redoSkill };
  const swap = fileSwapper({ PATH: "" }, systemClock);
  const files = learnedFiles({
    home,
    revisions: store.revisions,
    redo: withForgetting(redo),
    clock,
    swap,
    log,
  });
  const skills = openSkills({
    home: join(home, "skills"),
    external: [],
    projectOf: async (cwd) => cwd,
    tools: async () => new Set(),
    meta: store.meta,
  });
  const lock = (): Promise<AsyncDisposable> => takeLock(join(home, "run", "learned.lock"), clock);
  const curator = makeCurator({
    store,
    files,
    skills: join(home, "skills"),
    pinned: skills.pinned,
    settings: { enabled: true, intervalHours: 168, staleDays: 30, archiveDays: 90 },
    lock,
    clock,
    log,
  });
  const api = learned({
    store,
    files,
    skills,
    curator,
    lock,
    memoryFiles,
    home,
    clock,
    cwd: home,
    reviewer: { now: async (session) => `reviewed ${session}` },
    diff: (file, before, after) => `${file}\n-${before ?? ""}\n+${after ?? ""}\n`,
  });
  const kept = parts.move();
  return {
    home,
    store,
    files,
    skills,
    curator,
    learned: api,
    logged,
    recordUses: useRecorder({ store, files, memoryFiles, clock, log }),
    wait: (ms) => void (later += ms),
    read: (file) => readFile(join(home, file), "utf8").catch(() => undefined),
    async save(file, text) {
      await mkdir(dirname(join(home, file)), { recursive: true });
      await writeFile(join(home, file), text);
    },
    async add(content, from = {}) {
      const change = { action: "add", target: "user", content } as const;
      const summary = `USER.md: ${content}`;
      return (await files.change({ kind: "memory", file: user, summary, change, from: by(from) }, "write"))
        .id;
    },
    async makeSkill(name, body = "Do it.", from = {}) {
      const content = `---\nname: ${name.split("/").at(-1)}\ndescription: How to ${name}.\n---\n${body}\n`;
      const file = `skills/${name}/SKILL.md`;
      const change = { action: "create", content } as const;
      const made = await files.change(
        { kind: "skill", file, summary: `${name}: made`, change, from: by(from) },
        "write",
      );
      const at = new Date(clock.now());
      await utimes(join(home, file), at, at);
      return made.id;
    },
    async turn(cwd = "/work", calls = 0, words = "hello") {
      const session = newSession({ cwd });
      const lease = await hold(store, session.id, clock.now());
      const input = [{ type: "text", text: words } as const];
      const { row } = await store.inbox.admit(admission(session, { input }));
      const at = clock.now();
      const turn = newId("trn", at);
      await store.turns.open(lease, { id: turn, inbox: row.id, runtime: "loop", cwd, at });
      for (let each = 0; each < calls; each++) {
        const item = {
          id: `${turn}-${each}`,
          kind: "call",
          tool: "terminal",
          args: {},
          ok: true,
          output: "",
        };
        await store.turns.keep(lease, turn, item as never, [], at);
      }
      await store.turns.end(lease, turn, done, at, { replies: [], tell: false });
      return { session: session.id, turn };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
