/** A limited number at once; the others wait in line. */
export type Slots = {
  /** Disposing passes the slot on. Rejects with the signal's reason if it aborts before one is free. */
  take(signal: AbortSignal): Promise<Disposable>;
  /** Would somebody who comes now have to wait? */
  isFull(): boolean;
};

export function slots(count: number): Slots {
  let free = count;
  const line: (() => void)[] = [];

  const giveBack = (): void => {
    const next = line.shift();
    if (next === undefined) free += 1;
    next?.();
  };

  return {
    isFull: () => free === 0,
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        signal.addEventListener("abort", leave, { once: true });
        if (free === 0) return void line.push(enter);
        free -= 1;
        enter();

        function enter(): void {
          signal.removeEventListener("abort", leave);
          resolve(slot(giveBack));
        }
        function leave(): void {
          line.splice(line.indexOf(enter), 1);
          reject(signal.reason as Error);
        }
      }),
  };
}

/** Released once, however often it is disposed. */
function slot(giveBack: () => void): Disposable {
  let isTaken = true;
  return {
    [Symbol.dispose]() {
      if (isTaken) giveBack();
      isTaken = false;
    },
  };
}
