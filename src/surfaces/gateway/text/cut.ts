import type { Cuttable } from "./cuttable.ts";

/** Where a text can be cut, the best first. `least`: the share of the room that must be used for it. */
const places = [
  { at: /\n[^\S\n]*\n/g, least: 0.5, inCode: false, behind: false },
  { at: /\n/g, least: 0.5, inCode: true, behind: false },
  { at: /[.!?…]["'”’)\]]*(?=\s)|[。！？｡][」』）”]*/g, least: 0.5, inCode: false, behind: true },
  { at: /\s/g, least: 0.25, inCode: true, behind: false },
] as const;

/** The best place to end a part that starts at `from`: after it, and not behind `most`. `fits`: would this be a part of its own? */
export function bestCut(
  whole: Cuttable,
  from: number,
  most: number,
  fits: (from: number, end: number) => boolean,
): number {
  const isUnit = (at: number): boolean => {
    const unit = whole.unitAround(at);
    return unit !== undefined && fits(unit.start, unit.end);
  };
  const window = whole.text.slice(from, most + 2);
  for (const place of places) {
    const offsets = Array.from(
      window.matchAll(place.at),
      (match) => match.index + (place.behind ? match[0].length : 0),
    );
    const found = offsets.findLast((offset) => {
      const at = from + offset;
      if (offset === 0 || at > most || offset < (most - from) * place.least) return false;
      return (place.inCode || whole.preAround(at) === undefined) && !isUnit(at);
    });
    if (found !== undefined) return from + found;
  }
  return betweenLetters(whole, from, most, isUnit);
}

function betweenLetters(
  whole: Cuttable,
  from: number,
  most: number,
  isUnit: (at: number) => boolean,
): number {
  const at = letterEnd(whole.text, from, most);
  const start = whole.unitAround(at)?.start ?? from;
  return start > from && isUnit(at) ? start : at;
}

/** The last end of a letter as people count them. One that is longer than the room is cut, but no character is. */
export function letterEnd(text: string, from: number, most: number): number {
  letters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const start = letters.segment(text.slice(from, most + 2)).containing(most - from)?.index ?? most - from;
  if (start > 0) return from + start;
  const isPair = /[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(most - 1, most + 1));
  return isPair && most - 1 > from ? most - 1 : most;
}

let letters: Intl.Segmenter | undefined;

/** Where the next part starts: lines with nothing on them are left out, and blanks, except where they are the indentation of code. */
export function nextStart(whole: Cuttable, end: number): number {
  const line = skipped(/(?:[^\S\n]*\n)*/y, whole.text, end);
  const isCode = whole.preAround(line + 1) !== undefined;
  return isCode ? line : skipped(/\s*/y, whole.text, line);
}

function skipped(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
