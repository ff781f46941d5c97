import { bestCut, letterEnd, nextStart } from "./cut.ts";
import { type Cuttable, cuttable } from "./cuttable.ts";
import { isBlank, type Styled, trimmedEnd } from "./span.ts";
import { withBearableSpans } from "./bearable-spans.ts";

export { plainOf } from "./span.ts";

/**
 * What a part may be. `measure`: its size as the platform counts it; a longer stretch of the same text is not smaller, and one character with
 * its styles is within the limit. `mostSpans`: how many spans a part may have.
 */
export type Fit = {
  readonly limit: number;
  readonly measure: (part: Styled) => number;
  readonly mostSpans?: number;
};

/**
 * Cut where it hurts least: between paragraphs, lines, sentences, words, letters. No link is cut that fits into a part; a block of code goes
 * on as one. Whitespace at a cut is left out, and there are no parts with nothing to see.
 */
export function split(styled: Styled, fit: Fit): readonly Styled[] {
  const whole = cuttable(withBearableSpans(styled, fit));
  const fits = (from: number, end: number): boolean => isWithin(whole.slice(from, end), fit);
  const parts: Styled[] = [];
  let from = nextStart(whole, 0);
  while (from < whole.text.length) {
    const end = endOfPart(whole, from, fit.limit, fits);
    const part = trimmedEnd(whole.slice(from, end));
    if (!isBlank(part.text)) parts.push(part);
    from = nextStart(whole, end);
  }
  return parts;
}

const isWithin = (part: Styled, { limit, measure, mostSpans = Infinity }: Fit): boolean =>
  part.spans.length <= mostSpans && measure(part) <= limit;

function endOfPart(
  whole: Cuttable,
  from: number,
  limit: number,
  fits: (from: number, end: number) => boolean,
): number {
  for (let most = longest(whole, from, limit, fits); ; most = from + ((most - from) >> 1)) {
    const end = most === whole.text.length ? most : bestCut(whole, from, most, fits);
    // Escaping can make a shorter stretch the longer one.
    if (end - from <= 2 || fits(from, end)) return end;
  }
}

/** The furthest end that fits, and at least one character. */
function longest(
  whole: Cuttable,
  from: number,
  limit: number,
  fits: (from: number, end: number) => boolean,
): number {
  const { length } = whole.text;
  let low = from;
  let high = Math.min(length, from + Math.max(1, limit));
  while (fits(from, high)) {
    if (high === length) return length;
    low = high;
    high = Math.min(length, from + 2 * (high - from));
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(from, middle)) low = middle;
    else high = middle;
  }
  return low > from ? low : letterEnd(whole.text, from, Math.min(length, from + 2));
}
