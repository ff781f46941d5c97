import { isDeepStrictEqual } from "node:util";
import { TomlDate, TomlError, parse } from "smol-toml";
import { isPlainObject } from "../../../core/json.ts";

/** What a TOML text says. Two meanings can be compared, whatever classes the parser has for dates and long numbers. */
export type Meaning = { readonly [key: string]: unknown };

/** Why a text is not TOML, in the parser's words. */
export type Problem = { readonly why: string; readonly line: number };

export function readMeaning(text: string): { readonly meaning: Meaning } | { readonly problem: Problem } {
  try {
    return { meaning: plain(parse(text, { integersAsBigInt: "asNeeded" })) as Meaning };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.split("\n", 1);
    return { problem: { why: first.replace(/^Invalid TOML document: /, ""), line: error.line } };
  }
}

function plain(value: unknown): unknown {
  if (value instanceof TomlDate) return { date: value.toISOString() };
  if (typeof value === "bigint") return { integer: String(value) };
  if (Array.isArray(value)) return value.map(plain);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

/** Does the whole say what the two parts say, nothing more, nothing less and nothing twice? */
export function isSum(whole: Meaning, one: Meaning, other: Meaning): boolean {
  const sum = joined(one, other);
  return sum !== undefined && isDeepStrictEqual(whole, sum);
}

/** Tables are joined; `undefined` if both set the same key. */
function joined(one: Meaning, other: Meaning): Meaning | undefined {
  const entries = Object.entries(other).map(([key, value]) => {
    if (!Object.hasOwn(one, key)) return [key, value] as const;
    const before = one[key];
    return [key, isPlainObject(before) && isPlainObject(value) ? joined(before, value) : undefined] as const;
  });
  if (entries.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries([...Object.entries(one), ...entries]);
}
