import { Worker, type WorkerOptions } from "node:worker_threads";
import { untilStopped } from "../lib/time-limit.ts";

/**
 * Runs a program of ours in a thread, for what may take for ever or all memory: it can only be stopped with the thread it
 * runs in. Resolves with what `heard` first makes of a message, and rejects when the signal aborts. The thread is then gone.
 */
export async function inOwnThread<Message, Result>(
  program: URL,
  options: WorkerOptions,
  heard: (message: Message) => Result | undefined,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  const worker = new Worker(program, { execArgv: [], ...options });
  const over = Promise.withResolvers<Result>();
  worker.on("message", (message: Message) => {
    const result = heard(message);
    if (result !== undefined) over.resolve(result);
  });
  worker.on("error", over.reject);
  worker.on("exit", () => over.reject(new Error("the thread ended without a result")));
  try {
    return await untilStopped(over.promise, signal);
  } finally {
    await worker.terminate();
  }
}
