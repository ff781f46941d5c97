import type { Chunk } from "./prose-chunks.ts";
import { shownText, within, wrapped } from "./shown-text.ts";
import type { Paint, Theme } from "../theme.ts";
import { Markdown, setCapabilityOverrides } from "../toolkit.ts";

/** `faint`: for what is not the answer. */
export type ProseStyle = { readonly width: number; readonly faint: boolean };

/** Lays chunks of Markdown out, each once for a look. */
export function proseLines(theme: Theme): (chunks: readonly Chunk[], style: ProseStyle) => readonly string[] {
  const known = new WeakMap<Chunk, { readonly style: ProseStyle; readonly lines: readonly string[] }>();
  const linesOf = (chunk: Chunk, style: ProseStyle): readonly string[] => {
    const found = known.get(chunk);
    if (found?.style.width === style.width && found.style.faint === style.faint) return found.lines;
    const lines = chunkLines(chunk, theme, style).map((line) => within(line, style.width));
    known.set(chunk, { style, lines });
    return lines;
  };
  return (chunks, style) =>
    chunks.flatMap((chunk, at) => {
      const goesOn = at === 0 || (chunk.kind === "code" && chunk.opens === undefined);
      return goesOn ? linesOf(chunk, style) : ["", ...linesOf(chunk, style)];
    });
}

function chunkLines(chunk: Chunk, theme: Theme, { width, faint }: ProseStyle): readonly string[] {
  const text = shownText(chunk.text);
  if (chunk.kind === "prose") return markdownLines(text, theme, width, faint ? theme.faint : undefined);
  const { codeBlock, codeBlockBorder } = theme.markdown;
  const indent = width > 8 ? "  " : "";
  const code = text === "" ? [] : wrapped(text, width - indent.length);
  return [
    ...(chunk.opens === undefined ? [] : [codeBlockBorder(`\`\`\`${shownText(chunk.opens).split("\n")[0]}`)]),
    ...code.map((line) => indent + (faint ? theme.faint(line) : codeBlock(line))),
    ...(chunk.closes ? [codeBlockBorder("```")] : []),
  ];
}

/** What Markdown cannot be laid out is shown as it was written. */
function markdownLines(text: string, theme: Theme, width: number, color?: Paint): readonly string[] {
  const plain = (): readonly string[] => wrapped(text, width).map((line) => color?.(line) ?? line);
  if (isHostile(text)) return plain();
  // A link whose target is hidden behind its words could lead anywhere.
  setCapabilityOverrides({ hyperlinks: false });
  try {
    const component = new Markdown(
      withDefinitions(text),
      0,
      0,
      theme.markdown,
      color === undefined ? undefined : { color },
      {
        // What the model wrote is what is shown: no renumbered lists, no guess that money is a formula.
        preserveOrderedListMarkers: true,
        renderLatex: false,
      },
    );
    return component.render(width).map((line) => line.trimEnd());
  } catch {
    return plain();
  }
}

/** More of these than any person writes: laying them out takes time by the square, or more stack than there is. */
const mostMarks = 800;
const tooDeep = /(?:> ?){50}|(?:(?:[-+*]|\d{1,9}[.)]) +){50}|^ {200}/m;

const isHostile = (text: string): boolean =>
  (text.match(/[*_~[\]<!]/g)?.length ?? 0) > mostMarks || tooDeep.test(text);

/** A definition such as `[1]: https://…` would not be shown at all. */
const withDefinitions = (text: string): string =>
  text.replaceAll(/^( {0,3})\[(?=[^\]\n]{1,200}\]:)/gm, "$1\\[");
