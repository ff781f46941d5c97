import type { Span, Style, Styled } from "../text/styled.ts";

/** A stretch on one line that looks the same all over, a block of code, or the end of a line. */
export type Piece =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly styles: ReadonlySet<Style>;
      readonly url?: string;
    }
  | { readonly kind: "pre"; readonly text: string }
  | { readonly kind: "line" };
export type Placed = Piece & { readonly isQuoted: boolean };

/** A styled text piece by piece, in one pass. What is styled within links and code stays as plain as they are. */
export function* piecesOf({ text, spans }: Styled): Generator<Placed> {
  const open: Span[] = [];
  let next = 0;
  for (let at = 0; at < text.length;) {
    while ((open.at(-1)?.end ?? Infinity) <= at) open.pop();
    for (; (spans[next]?.start ?? Infinity) <= at; next += 1) {
      const span = spans[next] as Span;
      if (span.end > at && !isClosed(open.at(-1))) open.push(span);
    }
    const inner = open.at(-1);
    const isQuoted = open.some(({ style }) => style === "quote");
    if (inner?.style === "pre") {
      yield { kind: "pre", text: text.slice(at, inner.end), isQuoted };
      at = inner.end;
      continue;
    }
    if (text[at] === "\n") {
      yield { kind: "line", isQuoted };
      at += 1;
      continue;
    }
    const end = Math.min(inner?.end ?? Infinity, startOf(spans[next], inner), lineEnd(text, at));
    const url = open.find(({ style }) => style === "link")?.url;
    const styles = new Set(open.map(({ style }) => style));
    yield {
      kind: "text",
      text: text.slice(at, end),
      styles,
      isQuoted,
      ...(url === undefined ? {} : { url }),
    };
    at = end;
  }
}

const isClosed = (span: Span | undefined): boolean =>
  span?.style === "link" || span?.style === "code" || span?.style === "pre";

const startOf = (span: Span | undefined, inner: Span | undefined): number =>
  isClosed(inner) ? Infinity : (span?.start ?? Infinity);

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}
