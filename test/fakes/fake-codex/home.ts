import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isAlive, type ProcessIdentity, selfIdentity } from "../../../src/lib/process/process-identity.ts";
import type { ThreadRecord } from "./thread-log.ts";

/** What outlives a process: threads, and which turns of the script were played. */
export type FakeHome = {
  /** What `initialize` tells the client. */
  readonly path: string;
  /** A process starts on this home. */
  start(): HomeSession;
};

export type HomeSession = {
  /** Which process of this home it is, counted from 1. */
  readonly process: number;
  /** True once in the life of the home. */
  takeTurn(index: number): boolean;
  readonly threads: () => readonly string[];
  readonly read: (thread: string) => readonly ThreadRecord[];
  /** Safe at once: a kill loses nothing that was appended. */
  append(thread: string, record: ThreadRecord): void;
  /** False: another process that lives has it. */
  lock(thread: string): boolean;
  /** Frees the locks, as the end of the process would. */
  close(): void;
};

/** A home in a folder, for real processes. */
export function folderHome(path: string): FakeHome {
  const inside = (...names: readonly string[]): string => join(path, "fake-codex", ...names);
  const file = (thread: string): string => inside("threads", `${thread}.jsonl`);
  const lockFile = (thread: string): string => inside("threads", `${thread}.lock`);
  return {
    path,
    start() {
      for (const name of ["starts", "turns", "threads"]) mkdirSync(inside(name), { recursive: true });
      const me = selfIdentity();
      const mine = new Set<string>();
      let process = 1;
      while (!create(inside("starts", String(process)), "")) process += 1;
      return {
        process,
        takeTurn: (index) => create(inside("turns", String(index)), ""),
        threads: () =>
          readdirSync(inside("threads"))
            .filter((name) => name.endsWith(".jsonl"))
            .map((name) => name.slice(0, -".jsonl".length)),
        read: (thread) => (existsSync(file(thread)) ? wholeLines(readFileSync(file(thread), "utf8")) : []),
        append: (thread, record) => appendFileSync(file(thread), `${JSON.stringify(record)}\n`),
        lock(thread) {
          if (mine.has(thread)) return true;
          const holder = JSON.stringify({ pid: me.pid, startTime: me.startTime });
          if (!create(lockFile(thread), holder)) {
            if (isAlive(JSON.parse(readFileSync(lockFile(thread), "utf8")) as ProcessIdentity)) return false;
            rmSync(lockFile(thread), { force: true });
            if (!create(lockFile(thread), holder)) return false;
          }
          mine.add(thread);
          return true;
        },
        close() {
          for (const thread of mine) rmSync(lockFile(thread), { force: true });
          mine.clear();
        },
      };
    },
  };
}

/** A home for fakes in this process; hand it to the next one to restart. */
export function memoryHome(path = "/fake/codex-home"): FakeHome {
  const turns = new Set<number>();
  const logs = new Map<string, ThreadRecord[]>();
  const locks = new Map<string, object>();
  let starts = 0;
  return {
    path,
    start() {
      const me = {};
      starts += 1;
      return {
        process: starts,
        takeTurn: (index) => !turns.has(index) && turns.add(index).has(index),
        threads: () => [...logs.keys()],
        read: (thread) => structuredClone(logs.get(thread) ?? []),
        append: (thread, record) => {
          logs.set(thread, [...(logs.get(thread) ?? []), structuredClone(record)]);
        },
        lock(thread) {
          if ((locks.get(thread) ?? me) !== me) return false;
          locks.set(thread, me);
          return true;
        },
        close() {
          for (const [thread, owner] of locks) if (owner === me) locks.delete(thread);
        },
      };
    },
  };
}

/** False: it was there already. */
function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The last line may be half written. */
const wholeLines = (text: string): readonly ThreadRecord[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ThreadRecord);
