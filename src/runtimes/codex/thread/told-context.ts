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
const told = new WeakMap<AppServer, Map<string, ReadonlySet<string>>>();

export function untold(server: AppServer, thread: string, context: readonly string[]): readonly string[] {
  const known = told.get(server)?.get(thread);
  return context.filter((block) => known?.has(block) !== true);
}

/** What is no longer so need not be kept: should it be so again, it is news. */
export function noteTold(server: AppServer, thread: string, context: readonly string[]): void {
  const threads = told.get(server) ?? new Map<string, ReadonlySet<string>>();
  told.set(server, threads.set(thread, new Set(context)));
}

/** It is being shortened, and nobody knows what is left. */
export function forgetTold(server: AppServer, thread: string): void {
  told.get(server)?.delete(thread);
}
