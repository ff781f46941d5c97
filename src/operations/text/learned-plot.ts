import type { Learned } from "../../core/learning.ts";

type Day = Awaited<ReturnType<Learned["history"]>>[number];

export type PlotOptions = {
  /** Columns of the terminal. */
  readonly width: number;
  /** Can it show more than ASCII? */
  readonly unicode: boolean;
};

const height = 4;
const blocks = { unicode: " ▁▂▃▄▅▆▇█", ascii: " .:-=+*#@" } as const;

/**
 * What was learned and used each day, and how many calls a turn made, as columns of characters. Days that do not fit are
 * taken together, so that the newest is always there. The same numbers give the same text.
 */
export function learnedPlot(days: readonly Day[], { width, unicode }: PlotOptions): string {
  const room = Math.max(10, width - labelWidth - 1);
  const size = Math.ceil(days.length / room);
  const buckets = grouped(days, Math.max(1, size));
  const first = days[0]?.day ?? "";
  const last = days.at(-1)?.day ?? "";
  if (days.every(({ learned, used, calls }) => learned === 0 && used === 0 && calls === undefined))
    return `Nothing was learned or used from ${first} to ${last}.`;
  const glyphs = unicode ? blocks.unicode : blocks.ascii;
  const chart = (title: string, values: readonly (number | undefined)[]): string =>
    [title, ...columnsOf(values, glyphs, unicode)].join("\n");
  return [
    chart(
      "learned: changes of memory and skills",
      buckets.map((some) => sum(some, "learned")),
    ),
    chart(
      "used: learned things before turns",
      buckets.map((some) => sum(some, "used")),
    ),
    chart("calls: tool calls for each turn", buckets.map(meanCalls)),
    axis(first, last, buckets.length, unicode, width),
    ...(size > 1 ? [`Each column is ${size} days.`] : []),
  ].join("\n");
}

const labelWidth = 7;

/** From the newest back, so that only the oldest group can be short. */
function grouped(days: readonly Day[], size: number): readonly (readonly Day[])[] {
  const groups: (readonly Day[])[] = [];
  for (let end = days.length; end > 0; end -= size) groups.unshift(days.slice(Math.max(0, end - size), end));
  return groups;
}

const sum = (days: readonly Day[], key: "learned" | "used"): number =>
  days.reduce((total, day) => total + day[key], 0);

function meanCalls(days: readonly Day[]): number | undefined {
  const known = days.flatMap(({ calls }) => (calls === undefined ? [] : [calls]));
  return known.length === 0 ? undefined : known.reduce((total, each) => total + each, 0) / known.length;
}

/** Rows from the top, each with the value at its upper edge where that is said. */
function columnsOf(
  values: readonly (number | undefined)[],
  glyphs: string,
  unicode: boolean,
): readonly string[] {
  const steps = glyphs.length - 1;
  const top = Math.max(1, ...values.map((value) => value ?? 0));
  const levels = values.map((value) => levelOf(value, top, steps));
  return Array.from({ length: height }, (_, row) => {
    const floor = (height - 1 - row) * steps;
    const label = row === 0 ? numberText(top) : row === height - 1 ? "0" : "";
    const bars = levels.map((level) => glyphs[Math.max(0, Math.min(steps, level - floor))] ?? " ");
    return `${label.padStart(labelWidth - 1)}${unicode ? "┤" : "|"}${bars.join("")}`.trimEnd();
  });
}

/** Any value above zero gets at least one step. */
function levelOf(value: number | undefined, top: number, steps: number): number {
  if (value === undefined || value <= 0) return 0;
  return Math.max(1, Math.round((value / top) * height * steps));
}

const numberText = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/** `most`: columns of the terminal. Days that do not fit beside each other stand below each other. */
function axis(first: string, last: string, bars: number, unicode: boolean, most: number): string {
  const line = `${" ".repeat(labelWidth - 1)}${unicode ? "└" : "+"}${(unicode ? "─" : "-").repeat(bars)}`;
  const indent = " ".repeat(labelWidth);
  if (first === last) return `${line}\n${indent}${first}`;
  const gap = bars - first.length - last.length;
  if (gap < 1 && labelWidth + first.length + last.length + 1 > most) return `${line}\n${first} to\n${last}`;
  return `${line}\n${indent}${first}${" ".repeat(Math.max(1, gap))}${last}`;
}
