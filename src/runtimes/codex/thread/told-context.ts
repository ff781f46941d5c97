import type { Turn } from "../../runtime.ts";
import type { AppServer } from "../process/app-server.ts";

/** What a turn on this thread is told besides its input. */
export const contextOf = (
  { projectNews }: { readonly projectNews?: string },
  { context }: Pick<Turn, "context">,
): readonly string[] => (projectNews === undefined ? context : [projectNews, ...context]);

/**
 * What the threads of a process have been told beside their turns. Codex keeps it in a thread as it keeps a message, so
 * telling the same with every turn would fill the thread with it.
 */
const knownContext = new WeakMap<AppServer, Map<string, ReadonlySet<string>>>();

export function newContext(server: AppServer, thread: string, context: readonly string[]): readonly string[] {
  const known = knownContext.get(server)?.get(thread);
  return context.filter((block) => known?.has(block) !== true);
}

/** What is no longer so need not be kept: should it be so again, it is news. */
export function rememberContext(server: AppServer, thread: string, context: readonly string[]): void {
  const threads = knownContext.get(server) ?? new Map<string, ReadonlySet<string>>();
  knownContext.set(server, threads.set(thread, new Set(context)));
}

/** It is being shortened, and nobody knows what is left. */
export function forgetContext(server: AppServer, thread: string): void {
  knownContext.get(server)?.delete(thread);
}
