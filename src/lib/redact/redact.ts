import { maskPatterns } from "./secret-patterns.ts";

export const mask = "[redacted]";

/** Shorter values are left alone: masking every "admin" would make a text unreadable and tell the value. */
const shortestSecret = 6;

export type Redactor = ((text: string) => string) & {
  /** From now on this value is masked too. */
  readonly add: (secret: string) => void;
  /** The values, in all their spellings. */
  readonly values: () => readonly string[];
  /** Those that go over several lines. */
  readonly manyLines: () => readonly string[];
  /** Whether one of the values occurs, in any of its spellings. What only has the form of a key does not count. */
  readonly holds: (text: string) => boolean;
};

/**
 * Masks the given values, as they are and as JSON, URLs and base64 spell them, and what has the form of a key or token.
 * Total, linear in the text's length, and the same when applied twice.
 */
export function redactor(secrets: Iterable<string> = []): Redactor {
  const spellings = new Set<string>();
  const add = (secret: string): void => {
    for (const spelling of spellingsOf(secret.trim())) spellings.add(spelling);
  };
  for (const secret of secrets) add(secret);

  const redact = (text: string): string => {
    // A value never matches across a mask, or a value with brackets could mask the masks of a first pass.
    const known = text.split(mask).map((part) => maskValues(part, spellings));
    return maskPatterns(known.join(mask), mask);
  };
  const values = (): string[] => [...spellings];
  const manyLines = (): string[] => [...spellings].filter((spelling) => /[\r\n]/.test(spelling));
  const holds = (text: string): boolean => [...spellings].some((spelling) => text.includes(spelling));
  return Object.assign(redact, { add, values, manyLines, holds });
}

function spellingsOf(secret: string): string[] {
  if (secret.length < shortestSecret) return [];
  const wellFormed = secret.toWellFormed();
  const url = encodeURIComponent(wellFormed);
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    json,
    json.replaceAll("/", "\\/"),
    JSON.stringify(json).slice(1, -1),
    url,
    url.replaceAll("%20", "+"),
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    ...base64Spellings(wellFormed),
  ];
}

/** Inside a longer base64 text a value looks different at each of three offsets; the edges depend on its neighbours. */
function base64Spellings(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const whole = bytes.toString("base64").replace(/=+$/, "");
    const own = whole.slice(Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Finds all values before it masks any, so that two that overlap leave nothing of either. */
function maskValues(text: string, spellings: ReadonlySet<string>): string {
  const found = [...spellings].flatMap((spelling) => spansOf(spelling, text));
  let masked = "";
  let done = 0;
  for (const { start, end } of joined(found.toSorted((a, b) => a.start - b.start))) {
    masked += text.slice(done, start) + mask;
    done = end;
  }
  return masked + text.slice(done);
}

type Span = { readonly start: number; readonly end: number };

function spansOf(value: string, text: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(value); start !== -1; start = text.indexOf(value, start + 1))
    spans.push({ start, end: start + value.length });
  return joined(spans);
}

/** Sorted places, with those that touch made one. */
function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (!last || span.start > last.end) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}
