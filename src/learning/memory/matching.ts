import type { Entry } from "./entries.ts";

/** Which entry is meant: the one that is this text, else the only one that has it in it. */
export type Meant =
  | { readonly entry: Entry }
  | { readonly none: true }
  | { readonly several: readonly Entry[] };

export function meantEntry(entries: readonly Entry[], words: string): Meant {
  const text = words.trim();
  const whole = entries.find((entry) => entry.text === text);
  if (whole !== undefined) return { entry: whole };
  const found = text === "" ? [] : entries.filter((entry) => entry.text.includes(text));
  const [entry] = found;
  if (entry === undefined) return { none: true };
  return new Set(found.map((one) => one.text)).size === 1 ? { entry } : { several: found };
}
