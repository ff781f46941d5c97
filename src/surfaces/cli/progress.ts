import type { Clock } from "../../lib/clock.ts";
import type { CliPorts } from "./ports.ts";

type Out = Pick<CliPorts, "stderr" | "env">;

/** One line at the bottom of the terminal. Disposing takes it away. */
export type Progress = Disposable & {
  /** What goes on now. */
  update(text: string): void;
  /** Takes the line away until there is something new to say: for whoever wants to write now. */
  clear(): void;
};

const delayMs = 1000;
const eraseLine = "\r\u001b[2K";

/**
 * Tells a person what takes so long. Nothing is shown in the first second, nor where stderr is no terminal, and nothing of it
 * stays.
 */
export function progress({ stderr, env }: Out, clock: Clock, first: string): Progress {
  const ended = new AbortController();
  const begun = clock.monotonic();
  let text = first;
  let shown = false;
  const clear = (): void => {
    if (shown) stderr.write(eraseLine);
    shown = false;
  };
  async function tick(): Promise<void> {
    for (;;) {
      await clock.sleep(delayMs, ended.signal);
      const seconds = Math.floor((clock.monotonic() - begun) / 1000);
      stderr.write(`${eraseLine}${text}… ${seconds} s`);
      shown = true;
    }
  }
  if (stderr.isTTY === true && env["TERM"] !== "dumb") void tick().catch(() => {});
  return {
    update(now) {
      text = now;
    },
    clear,
    [Symbol.dispose]() {
      ended.abort();
      clear();
    },
  };
}

/** The same around one piece of work. */
export async function withProgress<Value>(
  out: Out,
  clock: Clock,
  text: string,
  work: () => Promise<Value>,
): Promise<Value> {
  using _ = progress(out, clock, text);
  return await work();
}
