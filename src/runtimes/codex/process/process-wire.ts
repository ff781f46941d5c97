import type { Clock } from "../../../lib/clock.ts";
import { LineTooLongError } from "../../../lib/rpc/jsonl.ts";
import type { Gone } from "./gone.ts";

/** What a connection needs of a process. */
export type Wire = {
  /** What it says, line by line. Throws `LineTooLongError`. */
  readonly lines: AsyncIterable<string>;
  /** Rejects if the process lives and does not take it. */
  write(line: string): Promise<void>;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  stderrTail(): string;
  /** Ends the process at once. Never rejects. */
  kill(): Promise<void>;
};

type Exit = Pick<Gone, "code" | "signal" | "stderrTail">;

export type WireListener = {
  readonly clock: Clock;
  /** Called before the line is yielded. */
  readonly onLine: (line: string) => unknown;
  readonly onTooLong: () => void;
  readonly onExit: (exit: Exit) => void;
};

/** Every line, then the end: whoever hears of it has had the last line. */
export async function* linesToTheEnd(
  wire: Wire,
  { clock, onLine, onTooLong, onExit }: WireListener,
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const line of wire.lines) {
      onLine(line);
      yield line;
    }
  } catch (error) {
    if (error instanceof LineTooLongError) return onTooLong();
  }
  onExit(await exitOf(wire, clock));
}

const lingerMs = 1_000;

/** Its output has ended, so it is ending; if it is not, it is made to. */
async function exitOf({ exited, kill, stderrTail }: Wire, clock: Clock): Promise<Exit> {
  const noticed = new AbortController();
  const lingering = clock.sleep(lingerMs, noticed.signal, { hold: true }).then(kill);
  const killed = lingering.then(() => ({ code: null, signal: null, stderrTail: stderrTail() }));
  killed.catch(() => {}); // it ended by itself
  return Promise.race([exited, killed]).finally(() => noticed.abort());
}
