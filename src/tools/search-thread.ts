import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { type FileHit, type FileSearch, type SearchEnd, searchFiles } from "./file-search.ts";

type Message =
  | { readonly kind: "found"; readonly hits: readonly FileHit[] }
  | { readonly kind: "end"; readonly end: SearchEnd };

const mark = "talaria file search";

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
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { mark, search },
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

/** This file is also what the thread runs. */
if (!isMainThread && isTask(workerData)) {
  const say = (message: Message): void => parentPort?.postMessage(message, []);
  const end = searchFiles(workerData.search, (hits) => say({ kind: "found", hits }));
  say({ kind: "end", end });
}

function isTask(data: unknown): data is { readonly search: FileSearch } {
  return typeof data === "object" && data !== null && "mark" in data && data.mark === mark;
}
