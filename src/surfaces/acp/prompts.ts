import type { Host } from "../../core/host.ts";
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

export function prompts(host: Pick<Host, "stop">, session: SessionId, log: (line: string) => void): Prompts {
  const open = new Set<{ cancelled: boolean }>();
  let stopping: Promise<unknown> = Promise.resolve();
  const cancel = (): Promise<void> => {
    for (const prompt of open) prompt.cancelled = true;
    const stop = host.stop(session).then(
      () => {},
      (error: unknown) => log(`${session} could not be stopped: ${String(error)}`),
    );
    stopping = Promise.all([stopping, stop]);
    return stop;
  };
  return {
    cancel,
    async run(signal, work) {
      const prompt = { cancelled: false };
      // Counted at once: what is cancelled from now on includes it.
      open.add(prompt);
      const onAbort = (): void => void cancel();
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
