/**
 * A map that is never changed in place, yet cheap to add to: the entries lie in maps of growing size, newest last, so an
 * addition copies each entry a logarithmic number of times instead of every time.
 */
export type LayeredMap<Value> = readonly ReadonlyMap<string, Value>[];

export function lookUp<Value>(layers: LayeredMap<Value>, key: string): Value | undefined {
  for (let at = layers.length - 1; at >= 0; at -= 1) {
    const value = layers[at]?.get(key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The newest entry of a key is the one that counts. */
export function withEntry<Value>(layers: LayeredMap<Value>, key: string, value: Value): LayeredMap<Value> {
  const merged = new Map([[key, value]]);
  const kept = [...layers];
  for (let last = kept.at(-1); last !== undefined && last.size <= merged.size; last = kept.at(-1)) {
    for (const [older, was] of last) if (!merged.has(older)) merged.set(older, was);
    kept.pop();
  }
  return [...kept, merged];
}
