import { subscribe } from "node:diagnostics_channel";
import { systemClock } from "../../src/lib/clock.ts";
import type { Mark, Marks } from "./side.ts";

const { monotonic } = systemClock;

/** The marks of one turn at a time. */
export type Stopwatch = {
  /** A turn begins now. */
  start(): void;
  /** Only the first time counts. */
  mark(name: Mark): void;
  marks(): Marks;
  /** Milliseconds since the start. */
  elapsed(): number;
};

/** Sees by itself when this process asks a server, and when that begins to answer. */
export function stopwatch(): Stopwatch {
  let began = monotonic();
  let marks: Partial<Record<Mark, number>> = {};
  const elapsed = (): number => monotonic() - began;
  const mark = (name: Mark): void => void (marks[name] ??= elapsed());
  subscribe("undici:request:create", () => mark("request"));
  subscribe("undici:request:headers", () => mark("headers"));
  return {
    start() {
      began = monotonic();
      marks = {};
    },
    mark,
    marks: () => marks,
    elapsed,
  };
}
