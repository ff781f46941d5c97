import type { Span, Styled } from "./span.ts";

/** A styled text that is cut again and again: to find what is at a place takes no walk through all spans. */
export type Cuttable = {
  readonly text: string;
  slice(from: number, end: number): Styled;
  /** The block of code that has something before this place and something behind it. */
  preAround(at: number): Span | undefined;
  /** The link or inline code that would be cut here. */
  unitAround(at: number): Span | undefined;
};

export function cuttable({ text, spans }: Styled): Cuttable {
  const parents = parentsOf(spans);
  const pres = spans.filter(({ style }) => style === "pre");
  const units = outermost(spans.filter(({ style }) => style === "link" || style === "code"));

  const slice = (from: number, end: number): Styled => {
    const first = firstNotBefore(spans, from);
    const kept: Span[] = [];
    for (let at = first - 1; at >= 0; at = parents[at] ?? -1) {
      const span = spans[at];
      if (span !== undefined && span.end > from) kept.push(span);
    }
    kept.reverse();
    for (let at = first; (spans[at]?.start ?? end) < end; at += 1) kept.push(spans[at] as Span);
    return {
      text: text.slice(from, end),
      spans: kept.map((span) => ({
        ...span,
        start: Math.max(span.start, from) - from,
        end: Math.min(span.end, end) - from,
      })),
    };
  };

  return {
    text,
    slice,
    preAround: (at) => around(pres, at),
    unitAround: (at) => around(units, at),
  };
}

/** For each span the number of the one right around it. */
function parentsOf(spans: readonly Span[]): readonly number[] {
  const open: number[] = [];
  return spans.map(({ start }, at) => {
    while (open.length > 0 && (spans[open.at(-1) ?? 0]?.end ?? 0) <= start) open.pop();
    const parent = open.at(-1) ?? -1;
    open.push(at);
    return parent;
  });
}

function outermost(spans: readonly Span[]): readonly Span[] {
  let end = 0;
  return spans.filter((span) => {
    if (span.start < end) return false;
    end = span.end;
    return true;
  });
}

/** The first that starts there or later. */
function firstNotBefore(spans: readonly Span[], at: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.start ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of spans that are apart from one another. */
function around(spans: readonly Span[], at: number): Span | undefined {
  const before = spans[firstNotBefore(spans, at) - 1];
  return before !== undefined && before.end > at ? before : undefined;
}
