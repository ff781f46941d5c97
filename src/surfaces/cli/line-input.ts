import type { Readable } from "node:stream";
import type { Clock } from "../../lib/clock.ts";
import { lines } from "../../lib/rpc/jsonl.ts";

/** The lines that a person types. While a question is open they go to the question, else they wait for `next`. */
export type LineInput = {
  /** `undefined`: there are no more. */
  next(): Promise<string | undefined>;
  /** Puts what was typed so far in line for `next`: typed before the question was shown, it cannot be an answer. */
  takeTypedAhead(): Promise<void>;
  /** The lines from now on, until the signal aborts or there are no more. */
  answers(signal: AbortSignal): AsyncIterable<string>;
};

/** Long enough for a terminal to hand over what it holds, too short to be noticed. */
const settleMs = 50;

/** Nothing is read before somebody wants a line: a program in the background may not touch its terminal. */
export function lineInput(stdin: Readable, clock: Clock): LineInput {
  const typed: string[] = [];
  let reading = false;
  let ended = false;
  let onAnswer: ((line: string | undefined) => void) | undefined;
  let onLine: ((line: string | undefined) => void) | undefined;

  const deliver = (line: string | undefined): void => {
    if (line === undefined) ended = true;
    onAnswer?.(line);
    if (onAnswer !== undefined && line !== undefined) return;
    if (onLine === undefined && line !== undefined) return void typed.push(line);
    onLine?.(line);
    onLine = undefined;
  };
  const read = (): void => {
    if (reading) return;
    reading = true;
    void pump(stdin, deliver);
  };

  return {
    next() {
      read();
      const line = typed.shift();
      if (line !== undefined || ended) return Promise.resolve(line);
      return new Promise((resolve) => (onLine = resolve));
    },
    async takeTypedAhead() {
      if (reading) return;
      read();
      await clock.sleep(settleMs, undefined, { hold: true });
    },
    async *answers(signal) {
      const pending: (string | undefined)[] = ended ? [undefined] : [];
      let wake: (() => void) | undefined;
      onAnswer = (line) => {
        pending.push(line);
        wake?.();
      };
      const abort = (): void => wake?.();
      signal.addEventListener("abort", abort);
      try {
        read();
        while (!signal.aborted) {
          if (pending.length === 0) await new Promise<void>((resolve) => (wake = resolve));
          if (pending.length === 0) continue;
          const line = pending.shift();
          if (line === undefined) return;
          yield line;
        }
      } finally {
        onAnswer = undefined;
        signal.removeEventListener("abort", abort);
        typed.push(...pending.filter((line) => line !== undefined));
      }
    },
  };
}

async function pump(stdin: Readable, deliver: (line: string | undefined) => void): Promise<void> {
  try {
    for await (const line of lines(stdin, { keepPartial: true })) deliver(line);
  } catch (error) {
    // Closed by us: Ctrl+C between two turns leaves the chat.
    if (!stdin.destroyed) throw error;
  } finally {
    deliver(undefined);
  }
}
