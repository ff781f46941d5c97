import { clean, oneLine } from "../../../core/plain-text.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../toolkit.ts";

/** A line and what goes on with it stand behind other bars, so that no wrapped text can pass for a line of its own. */
const bars = ["│ ", "┊ "] as const;

/** Every character of the lines, blanks too. */
export const exactRows = (lines: readonly string[], width: number): readonly string[] =>
  lines.flatMap((line) =>
    barred(
      safe(line)
        .split("\n")
        .flatMap(cutAt(innerWidth(width))),
      bars,
      width,
    ),
  );

/** For reading: cut between words. */
export const proseRows = (text: string, width: number): readonly string[] =>
  barred(words(text, innerWidth(width)), bars, width);

/** The end of the frame. */
export const lastRows = (text: string, width: number): readonly string[] =>
  barred(words(text, innerWidth(width)), ["╰ ", "  "], width);

/** Paints what stands behind the bar. */
export const painted = (rows: readonly string[], paint: (text: string) => string): readonly string[] =>
  rows.map((row) => `${row.slice(0, 2)}${paint(row.slice(2))}`);

/** On one line, without anything that could steer the screen. */
export const cleanLine = (text: string): string => oneLine(clean(text));

export const fit = (text: string, width: number): string =>
  visibleWidth(text) <= width ? text : truncateToWidth(text, width, "");

const innerWidth = (width: number): number => Math.max(1, width - 2);

const safe = (text: string): string => clean(text).replaceAll("\t", "    ");

const words = (text: string, width: number): readonly string[] =>
  safe(text)
    .split("\n")
    .flatMap((line) => wrapTextWithAnsi(line, width));

function barred(
  rows: readonly string[],
  [first, more]: readonly [string, string],
  width: number,
): readonly string[] {
  return rows.map((row, at) => fit(`${at === 0 ? first : more}${row}`, width));
}

/** Between words, where a blank ends the row. Only a word that is longer than a row is cut apart, from where it stands. */
const cutAt =
  (width: number) =>
  (text: string): readonly string[] => {
    const rows: string[] = [];
    let row = "";
    let taken = 0;
    const nextRow = (): void => {
      rows.push(row);
      row = "";
      taken = 0;
    };
    for (const word of wordsIn(unitsOf(text, width))) {
      const room = widthOf(word.filter((unit) => unit !== " "));
      if (row !== "" && taken + room > width && room <= width) nextRow();
      for (const unit of word) {
        const wide = visibleWidth(unit);
        if (row !== "" && taken + wide > width) nextRow();
        row += unit;
        taken += wide;
      }
    }
    return [...rows, row];
  };

/** Each with the blanks behind it. */
function wordsIn(all: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  for (const [at, unit] of all.entries()) {
    if (at === 0 || (unit !== " " && all[at - 1] === " ")) found.push([]);
    found.at(-1)?.push(unit);
  }
  return found;
}

const widthOf = (units: readonly string[]): number =>
  units.reduce((sum, unit) => sum + visibleWidth(unit), 0);

/** Made when it is needed: it takes ten milliseconds. */
let graphemes: Intl.Segmenter | undefined;

/** What must not be cut apart. Marks that take room of their own can make one wider than a whole row. */
function unitsOf(text: string, width: number): readonly string[] {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(graphemes.segment(text), ({ segment }) => segment).flatMap((segment) =>
    visibleWidth(segment) > width ? Array.from(segment) : [segment],
  );
}
