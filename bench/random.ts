/** Chance that the same seed repeats. */
export type Random = {
  /** From 0 to just below 1. */
  fraction(): number;
  /** A whole number from 0 to `count - 1`. */
  below(count: number): number;
  /** True once in so many times. */
  oneIn(times: number): boolean;
  pick<T>(values: readonly T[]): T;
  bytes(length: number): Buffer;
};

export function randomFrom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const fraction = (): number => next() / 2 ** 32;
  const below = (count: number): number => Math.floor(fraction() * count);
  return {
    fraction,
    below,
    oneIn: (times) => below(times) === 0,
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new Error("There is nothing to pick from.");
      return values[below(values.length)] as T;
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}
