export type Style = "bold" | "italic" | "strike" | "code" | "pre" | "quote" | "link";

/** A stretch of a text that looks different, by UTF-16 offsets. `url`: of a link. `language`: of a `pre`, if it has one. */
export type Span = {
  readonly start: number;
  readonly end: number;
  readonly style: Style;
  readonly url?: string;
  readonly language?: string;
};

/** Spans are in the order of their starts, outer ones first; any two are disjoint, or one is within the other. None is empty. */
export type Styled = { readonly text: string; readonly spans: readonly Span[] };

/** The words alone, with the addresses of links that do not show theirs. */
export function plainOf({ text, spans }: Styled): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, url } of spans.filter((span) => span.style === "link")) {
    if (start < from || url === undefined || text.slice(start, end) === url) continue;
    parts.push(text.slice(from, end), ` (${url})`);
    from = end;
  }
  return parts.join("") + text.slice(from);
}

/** Nobody would see anything. Some platforms refuse such a message. */
export const isBlank = (text: string): boolean =>
  /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*$/u.test(text);

export function trimmedEnd({ text, spans }: Styled): Styled {
  const kept = text.trimEnd();
  if (kept.length === text.length) return { text, spans };
  return {
    text: kept,
    spans: spans.flatMap((span) =>
      span.start >= kept.length ? [] : [{ ...span, end: Math.min(span.end, kept.length) }],
    ),
  };
}
