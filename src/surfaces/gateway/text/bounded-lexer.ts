import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens, type TokensList } from "marked";

/**
 * The blocks of a text, whatever a model has written: time grows with the length of the text, and nothing runs out of stack. marked alone
 * takes minutes for a long line of asterisks, and dies of ten thousand quotations in one another.
 */
export function blocksOf(markdown: string): readonly MarkedToken[] {
  const tokenizer = new CarefulTokenizer();
  try {
    const blocks = new BoundedLexer({ gfm: true, tokenizer }).lex(markdown) as MarkedToken[];
    tokenizer.hideUsedDefinitions();
    return blocks;
  } catch {
    return [asWritten(markdown)];
  }
}

/** Deeper ones are shown as they are written. */
const deepest = 24;
/** marked's time for one run of text grows with the square of its length and of its signs, so a longer one is taken in pieces. */
const longestRun = 4_000;
const mostSigns = 200;
/** Each row is filled up to all columns of its head. */
const mostColumns = 20;

const asWritten = (src: string): Tokens.Text => ({ type: "text", raw: src, text: src, escaped: true });

class BoundedLexer extends Lexer {
  private depth = 0;

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    return this.deeper(src, tokens, () => super.blockTokens(src, tokens, isClipped));
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    return this.deeper(src, tokens, () => {
      for (const piece of piecesOf(src)) super.inlineTokens(piece, tokens);
      return tokens;
    });
  }

  private deeper(src: string, tokens: Token[], lex: () => Token[]): Token[] {
    if (this.depth >= deepest) {
      tokens.push(asWritten(src));
      return tokens;
    }
    this.depth += 1;
    try {
      return lex();
    } finally {
      this.depth -= 1;
    }
  }
}

class CarefulTokenizer extends Tokenizer {
  private readonly definitions: Tokens.Def[] = [];
  private readonly used = new Set<string>();

  /** A second definition of the same name would be left out: it is a text like any other. */
  override def(src: string): Tokens.Def | undefined {
    const token = super.def(src);
    if (token === undefined || this.lexer.tokens.links[token.tag] !== undefined) return undefined;
    this.definitions.push(token);
    return token;
  }

  override reflink(
    src: string,
    links: Parameters<Tokenizer["reflink"]>[1],
  ): ReturnType<Tokenizer["reflink"]> {
    const token = super.reflink(src, links);
    if (token !== undefined && "href" in token) this.used.add(token.href);
    return token;
  }

  override table(src: string): Tokens.Table | undefined {
    const head = src.slice(0, src.indexOf("\n") + 1);
    return head.split("|").length > mostColumns ? undefined : super.table(src);
  }

  /** What a link leads to is seen there. */
  hideUsedDefinitions(): void {
    for (const definition of this.definitions) if (this.used.has(definition.href)) definition.raw = "";
  }
}

/** Cut after a line, else after a word, and before a link rather than in it. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let most = runFrom(text, from); from + most < text.length; most = runFrom(text, from)) {
    const window = text.slice(from, from + most);
    const ends = [window.lastIndexOf("\n") + 1, window.lastIndexOf(" ") + 1];
    const length = beforeLink(text, from, ends.find((end) => end > most / 2) ?? wholeLetters(window));
    pieces.push(window.slice(0, length));
    from += length;
  }
  return [...pieces, text.slice(from)];
}

/** How much of it can be taken at once. */
function runFrom(text: string, from: number): number {
  const signs = /[*_~`[\]<!@:]/g;
  const end = Math.min(text.length, from + longestRun);
  signs.lastIndex = from;
  for (let count = 0; count < mostSigns; count += 1) {
    if (!signs.test(text) || signs.lastIndex > end) return end - from;
  }
  return signs.lastIndex - from;
}

function beforeLink(text: string, from: number, length: number): number {
  const link = /\[[^\]]{0,500}\]\([^)]{0,2000}\)/y;
  link.lastIndex = Math.max(from, text.lastIndexOf("[", from + length - 1));
  const { lastIndex: start } = link;
  return start > from && link.test(text) && link.lastIndex > from + length ? start - from : length;
}

const wholeLetters = (window: string): number =>
  window.length > 1 && /[\uD800-\uDBFF]$/.test(window) ? window.length - 1 : window.length;
