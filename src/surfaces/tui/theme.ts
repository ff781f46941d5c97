import type { EditorTheme, MarkdownTheme, SelectListTheme } from "./toolkit.ts";

/**
 * Words for looks. Only the sixteen colours of the terminal's own palette, bold, faint and reverse: they are readable on
 * a light and on a dark background, because the person chose them.
 */
export type Theme = {
  readonly accent: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  readonly reverse: Paint;
  readonly markdown: MarkdownTheme;
  readonly editor: EditorTheme;
  readonly select: SelectListTheme;
};

export type Paint = (text: string) => string;

const sgr =
  (on: number, off: number): Paint =>
  (text) =>
    `\u001B[${on}m${text}\u001B[${off}m`;
const plain: Paint = (text) => text;

/** Without colour, bold and reverse stay: they are how a person sees where they are. */
export function makeTheme(color: boolean): Theme {
  const paint = (code: number): Paint => (color ? sgr(code, 39) : plain);
  const faint = color ? sgr(2, 22) : plain;
  const strong = sgr(1, 22);
  const accent = paint(36);
  const select: SelectListTheme = {
    selectedPrefix: accent,
    selectedText: (text) => strong(accent(text)),
    description: faint,
    scrollInfo: faint,
    noMatch: faint,
  };
  return {
    accent,
    faint,
    strong,
    good: paint(32),
    bad: paint(31),
    warn: paint(33),
    added: paint(32),
    removed: paint(31),
    reverse: sgr(7, 27),
    select,
    editor: { borderColor: faint, selectList: select },
    markdown: {
      heading: (text) => strong(accent(text)),
      link: accent,
      linkUrl: faint,
      code: accent,
      codeBlock: plain,
      codeBlockBorder: faint,
      quote: faint,
      quoteBorder: faint,
      hr: faint,
      listBullet: accent,
      bold: strong,
      italic: sgr(3, 23),
      strikethrough: sgr(9, 29),
      underline: sgr(4, 24),
    },
  };
}
