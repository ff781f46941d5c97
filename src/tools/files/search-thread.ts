import { Worker } from "node:worker_threads";
import { ownProgram } from "../../lib/own-files.ts";
import type { FileHit, FileSearch, SearchEnd } from "./file-search.ts";

export type Message =
  | { readonly kind: "found"; readonly hits: readonly FileHit[] }
  | { readonly kind: "end"; readonly end: SearchEnd };

/**
 * Searches in a thread of its own, because a regular expression may take for ever and can only be stopped with the thread
 * it runs in. Rejects when the signal aborts; what was found until then has been passed on.
 */
export async function searchInThread(
  search: FileSearch,
  found: (hits: readonly FileHit[]) => void,
  signal: AbortSignal,
): Promise<SearchEnd> {
  signal.throwIfAborted();
  const worker = new Worker(ownProgram("./search.child.ts", import.meta.url), {
    workerData: search,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const over = Promise.withResolvers<SearchEnd>();
  worker.on("message", (message: Message) => {
    if (message.kind === "found") found(message.hits);
    if (message.kind === "end") over.resolve(message.end);
  });
  worker.on("error", over.reject);
  worker.on("exit", () => over.reject(new Error("the search ended without a result")));
  const stop = (): void => over.reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await over.promise;
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
