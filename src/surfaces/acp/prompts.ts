import type { Client } from "../../core/calls.ts";
import type { SessionId } from "../../core/ids.ts";

/** A prompt that was not answered yet. */
export type Prompt = { readonly cancelled: boolean };

/** The prompts of a session and what stops them. */
export interface Prompts {
  /** Does the work of one, once a Stop that came before it is over. */
  run<Result>(signal: AbortSignal, work: (prompt: Prompt) => Promise<Result>): Promise<Result>;
  /** Stops what runs and sets aside what waits. Never rejects. */
  cancel(): Promise<void>;
}

export function prompts(
  host: Client<"turns.stop">,
  session: SessionId,
  log: (line: string) => void,
): Prompts {
  const open = new Set<{ cancelled: boolean }>();
  let stopping: Promise<unknown> = Promise.resolve();
  const cancel = (): Promise<void> => {
    for (const prompt of open) prompt.cancelled = true;
    const stopped = stop();
    stopping = Promise.all([stopping, stopped]);
    return stopped;
  };
  const stop = async (): Promise<void> => {
    try {
      await host.call("turns.stop", { session });
    } catch (error) {
      log(`${session} could not be stopped: ${String(error)}`);
    }
  };
  const onAbort = (): void => void cancel();
  return {
    cancel,
    async run(signal, work) {
      const prompt = { cancelled: false };
      // Counted at once: what is cancelled from now on includes it.
      open.add(prompt);
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        // A Stop sets aside what waits, and must not find what was sent after it.
        await stopping;
        return await work(prompt);
      } finally {
        signal.removeEventListener("abort", onAbort);
        open.delete(prompt);
      }
    },
  };
}
