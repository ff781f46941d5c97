/** Ends work that nobody else would end when the host is closed, and waits for it. */
export type Closing = AsyncDisposable & {
  readonly signal: AbortSignal;
  track<Work extends Promise<unknown>>(work: Work): Work;
};

export function closing(): Closing {
  const stop = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    signal: stop.signal,
    track(work) {
      const over = work.catch(() => {}).finally(() => running.delete(over));
      running.add(over);
      return work;
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("Talaria is being closed"));
      await Promise.all(running);
    },
  };
}
