import type { ConnectionCounts } from "../../src/runtimes/codex/connection/connection.ts";
import { maxLineBytes } from "./byte-wire.ts";
import { type Kind, type Line, kinds } from "./line-maker.ts";
import type { ReaderCounts } from "./thread-reader.ts";

/** What came of a run. */
export type Tally = {
  /** The connection has read this line. */
  read(line: Line): void;
  /** It has ended at this line, and not handed it on. */
  tooLong(line: Line | undefined): void;
  /** Something that must not be, and how often; nothing for 0. */
  check(what: string, count: number): void;
  wrong(what: string): void;
  connection(end: ConnectionEnd): void;
  readonly readers: ReaderCounts;
  readonly lines: number;
  report(): TallyReport;
};

type ConnectionEnd = {
  readonly reason: string;
  readonly planted: { readonly right: number; readonly wrong: number; readonly gone: number };
  readonly requests: { readonly asked: number; readonly answered: number; readonly stray: number };
  readonly talk: ConnectionCounts;
};

export type TallyReport = {
  readonly lines: number;
  readonly mutations: Readonly<Record<Kind, number>>;
  readonly sorts: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly retired: Readonly<Record<string, number>>;
  readonly badLines: number;
  readonly strayReplies: number;
  readonly planted: number;
  readonly wrongResolves: number;
  readonly asked: number;
  readonly answered: number;
  readonly frames: number;
  readonly events: number;
  readonly turns: number;
  /** Whatever must not be. */
  readonly broken: Readonly<Record<string, number>>;
};

export function tally(): Tally {
  const mutations = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  const sorts: Record<string, number> = {};
  const retired: Record<string, number> = {};
  const broken: Record<string, number> = {};
  const readers: ReaderCounts = { frames: 0, events: 0, turns: 0, foreign: 0, thrown: [] };
  const sums = {
    lines: 0,
    connections: 0,
    badLines: 0,
    strayReplies: 0,
    planted: 0,
    wrongResolves: 0,
    asked: 0,
    answered: 0,
  };
  const check = (what: string, count: number): void => {
    if (count > 0) broken[what] = (broken[what] ?? 0) + count;
  };

  const read = ({ kinds: applied, sorted }: Line): void => {
    if (applied.length > 0) sums.lines += 1;
    for (const kind of applied) mutations[kind] += 1;
    sorts[sorted.kind] = (sorts[sorted.kind] ?? 0) + 1;
  };

  return {
    read,
    tooLong(line) {
      if (line === undefined || line.bytes.length <= maxLineBytes)
        return check("lines within the cap that were too long", 1);
      read(line);
    },
    check,
    wrong: (what) => check(what, 1),
    connection({ reason, planted, requests, talk }) {
      sums.connections += 1;
      retired[reason] = (retired[reason] ?? 0) + 1;
      sums.badLines += talk.badLines;
      sums.strayReplies += talk.strayReplies;
      sums.planted += planted.right;
      sums.wrongResolves += planted.wrong;
      sums.asked += requests.asked;
      sums.answered += requests.answered;
      check("answers to nothing", requests.stray);
    },
    readers,
    get lines() {
      return sums.lines;
    },
    report() {
      const { frames, events, turns, foreign, thrown } = readers;
      const thrownKinds = Object.entries(Object.groupBy(thrown, (text) => text.slice(0, 120)));
      const extra = [
        ["foreign frames", foreign] as const,
        ...thrownKinds.map(([text, all]) => [text, all?.length ?? 0] as const),
      ];
      const all = { ...broken, ...Object.fromEntries(extra.filter(([, count]) => count > 0)) };
      return { ...sums, mutations, sorts, retired, frames, events, turns, broken: all };
    },
  };
}
