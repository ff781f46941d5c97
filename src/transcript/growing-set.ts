/**
 * A set that is never changed in place, yet cheap to add to: the values lie in sets of doubling size, so an addition
 * copies each value a logarithmic number of times instead of every time.
 */
export type GrowingSet = readonly ReadonlySet<string>[];

export const emptySet: GrowingSet = [];

export const has = (sets: GrowingSet, value: string): boolean => sets.some((set) => set.has(value));

/** The caller has checked that the value is not in it. */
export function add(sets: GrowingSet, value: string): GrowingSet {
  let merged = new Set([value]);
  let kept = sets.length;
  for (let last = sets[kept - 1]; last?.size === merged.size; last = sets[kept - 1]) {
    merged = new Set([...last, ...merged]);
    kept -= 1;
  }
  return [...sets.slice(0, kept), merged];
}
