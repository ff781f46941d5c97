import { Worker } from "node:worker_threads";
import type { Clock } from "../../lib/clock.ts";
import { ownProgram } from "../../lib/own-files.ts";
import { withinTime } from "../time-limit.ts";
import type { Page } from "./page-markdown.ts";
import { strippedHtml } from "./stripped-html.ts";

export type Task = { readonly html: string; readonly url: string };

const longestMs = 15_000;

/**
 * The page as markdown, made in a thread of its own: a page can be built so that reading it takes minutes or all memory.
 * Then the bare words are given. Rejects when the signal aborts.
 */
export async function pageInThread(
  html: string,
  url: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Page & { readonly bare: boolean }> {
  const made = await withinTime(longestMs, clock, signal, (inner) =>
    inThread({ html, url }, inner).catch(() => undefined),
  );
  signal.throwIfAborted();
  if (made.end === "done" && made.value !== undefined) return { ...made.value, bare: false };
  return { ...strippedHtml(html), bare: true };
}

async function inThread(task: Task, signal: AbortSignal): Promise<Page> {
  const worker = new Worker(ownProgram("./page.child.ts", import.meta.url), {
    workerData: task,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    // What the libraries say about a page is for nobody.
    stdout: true,
    stderr: true,
  });
  const over = Promise.withResolvers<Page>();
  worker.on("message", (page: Page) => over.resolve(page));
  worker.on("error", over.reject);
  worker.on("exit", () => over.reject(new Error("the page was not read")));
  const stop = (): void => over.reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await over.promise;
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
