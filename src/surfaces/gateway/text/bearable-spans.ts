import type { Span, Styled } from "./span.ts";
import type { Fit } from "./split.ts";

/** More styles in one another say nothing. */
const deepest = 8;

/**
 * Without the spans that no part could have: those too deep in others, and links whose address alone takes most of a part. The address
 * of such a link stands behind its words.
 */
export function withBearableSpans(styled: Styled, fit: Fit): Styled {
  const most = Math.min(deepest, fit.mostSpans ?? deepest);
  const ends: number[] = [];
  const gone = new Set<Span>();
  for (const span of styled.spans) {
    while (ends.length > 0 && (ends.at(-1) ?? 0) <= span.start) ends.pop();
    const isBearable = ends.length < most && span.end > span.start && !isTooLong(span, fit);
    if (isBearable) ends.push(span.end);
    if (!isBearable) gone.add(span);
  }
  return gone.size === 0 ? styled : without(styled, gone);
}

const isTooLong = ({ style, url = "" }: Span, { limit, measure }: Fit): boolean =>
  style === "link" &&
  url.length > limit / 8 &&
  measure({ text: "x", spans: [{ start: 0, end: 1, style, url }] }) > limit / 2;

function without({ text, spans }: Styled, gone: ReadonlySet<Span>): Styled {
  const insertions = [...gone]
    .filter(({ style, start, end, url }) => style === "link" && text.slice(start, end) !== url)
    .map(({ end, url = "" }) => ({ at: end, words: ` (${url})` }))
    .toSorted((a, b) => a.at - b.at);
  const shift = shifts(insertions);
  let from = 0;
  const parts = insertions.flatMap(({ at, words }) => {
    const before = text.slice(from, at);
    from = at;
    return [before, words];
  });
  return {
    text: parts.join("") + text.slice(from),
    spans: spans
      .filter((span) => !gone.has(span))
      // What ends where something is put in does not go on over it; what starts there starts behind it.
      .map((span) => ({
        ...span,
        start: span.start + shift(span.start),
        end: span.end + shift(span.end - 1),
      })),
  };
}

/** How far a place has moved by what was put in at it or before it. */
function shifts(
  insertions: readonly { readonly at: number; readonly words: string }[],
): (at: number) => number {
  const sums: number[] = [];
  for (const { words } of insertions) sums.push((sums.at(-1) ?? 0) + words.length);
  return (at) => {
    let low = 0;
    let high = insertions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((insertions[middle]?.at ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return sums[low - 1] ?? 0;
  };
}
