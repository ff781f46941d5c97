/** The names in a text, with spaces between them. */
export const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** A table in which one entry may be for several names. A map: a program may be called `constructor` or `__proto__`. */
export const byName = <Value>(table: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(
    Object.entries(table).flatMap(([some, value]) => some.split(" ").map((name) => [name, value] as const)),
  );
