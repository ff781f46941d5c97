import type { Random } from "../random.ts";

export const shuffled = <T>(values: readonly T[], random: Random): readonly T[] =>
  values
    .map((value) => ({ value, key: random.fraction() }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ value }) => value);
