import type { Span, Styled } from "../text/styled.ts";

/** A stretch of text with the same styles all over. */
export type Run = {
  readonly text: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isStruck: boolean;
  readonly isCode: boolean;
  readonly isQuote: boolean;
  readonly link?: Span;
  readonly pre?: Span;
};

/** A text as runs, from left to right. */
export function runsOf({ text, spans }: Styled): readonly Run[] {
  const edges = [...new Set([0, text.length, ...spans.flatMap(({ start, end }) => [start, end])])].toSorted(
    (a, b) => a - b,
  );
  let open: readonly Span[] = [];
  let next = 0;
  return edges.slice(0, -1).map((start, index) => {
    const around = open.filter(({ end }) => end > start);
    const begun: Span[] = [];
    for (let span = spans[next]; span !== undefined && span.start === start; span = spans[next]) {
      begun.push(span);
      next += 1;
    }
    open = [...around, ...begun];
    return runOf(text.slice(start, edges[index + 1]), open);
  });
}

function runOf(text: string, open: readonly Span[]): Run {
  const is = (style: Span["style"]): boolean => open.some((span) => span.style === style);
  const link = open.find(({ style }) => style === "link");
  const pre = open.find(({ style }) => style === "pre");
  return {
    text,
    isBold: is("bold"),
    isItalic: is("italic"),
    isStruck: is("strike"),
    isCode: is("code"),
    isQuote: is("quote"),
    ...(link === undefined ? {} : { link }),
    ...(pre === undefined ? {} : { pre }),
  };
}
