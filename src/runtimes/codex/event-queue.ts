/** Values pushed from several places, read in one. Reading ends after `close`, once everything was read. */
export type EventQueue<T> = AsyncIterable<T> & { push(value: T): void; close(): void };

export function eventQueue<T>(): EventQueue<T> {
  const values: T[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  return {
    push(value) {
      if (!closed) values.push(value);
      wake?.();
    },
    close() {
      closed = true;
      wake?.();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (values.length > 0) yield values.shift() as T;
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
