import { lanes } from "../../../lib/lanes.ts";

/** The order of starts and ends on each CODEX_HOME. */
export type HomeStarts = {
  /**
   * Runs the start when nothing is ending on that home: a process that is ending still holds its threads, and codex
   * refuses to open them twice. Until one start has succeeded they go one by one, because codex cannot prepare a fresh
   * home twice at the same time.
   */
  start<T>(home: string, job: () => Promise<T>): Promise<T>;
  /** Never rejects, or it is not waited for. */
  ending(home: string, ended: Promise<void>): void;
  /** Resolves when nothing is ending any more. */
  drain(): Promise<void>;
};

export function homeStarts(): HomeStarts {
  const firstStarts = lanes<string>();
  const prepared = new Set<string>();
  const endings = new Map<Promise<void>, string>();

  return {
    async start(home, job) {
      const begin = async () => {
        await Promise.all([...endings].flatMap(([ended, where]) => (where === home ? [ended] : [])));
        return job();
      };
      const started = await (prepared.has(home) ? begin() : firstStarts.run(home, begin));
      prepared.add(home);
      return started;
    },
    ending(home, ended) {
      endings.set(ended, home);
      void ended.then(() => endings.delete(ended));
    },
    async drain() {
      while (endings.size > 0) await Promise.all(endings.keys());
    },
  };
}
