import type { Span, Style, Styled } from "./span.ts";

/** More indentation helps nobody, and would make a long text of a short one. */
const widestIndent = 24;

/** Puts a styled text together from left to right. */
export class Writer {
  private readonly parts: string[] = [];
  private readonly spans: Span[] = [];
  private readonly open: Style[] = [];
  private length = 0;
  private prefix = "";
  /** What the next line begins with instead of the prefix. */
  private bullet: string | undefined;
  private isLineStart = true;

  /** Each line that has something on it begins with the indentation. */
  write(text: string): void {
    const [first = "", ...rest] = text.split("\n");
    this.writeLine(first);
    for (const line of rest) {
      this.put("\n");
      this.isLineStart = true;
      this.writeLine(line);
    }
  }

  /** What `inside` writes has this style. Within one of the same style, or within code, it has no further one. */
  mark(style: Exclude<Style, "pre">, inside: () => void, url?: string): void {
    if (this.open.includes(style) || this.open.includes("code")) return inside();
    this.startLine();
    this.style(inside, { style, ...(url === undefined ? {} : { url }) });
  }

  /** A block of code, as it is. */
  pre(text: string, language?: string): void {
    if (this.bullet !== undefined) this.put(`${this.bullet}\n`);
    this.bullet = undefined;
    this.isLineStart = false;
    this.style(() => this.put(text), { style: "pre", ...(language === undefined ? {} : { language }) });
  }

  /** The first line of what `inside` writes begins with `first`, the others with `rest`. */
  indent(first: string, rest: string, inside: () => void): void {
    const outer = this.prefix;
    this.bullet = (this.bullet ?? outer) + first;
    this.prefix = outer.length + rest.length > widestIndent ? outer : outer + rest;
    inside();
    if (this.bullet !== undefined) this.startLine();
    this.prefix = outer;
  }

  isIn(style: Style): boolean {
    return this.open.includes(style);
  }

  done(): Styled {
    return { text: this.parts.join(""), spans: this.spans };
  }

  private style(inside: () => void, is: Omit<Span, "start" | "end">): void {
    const start = this.length;
    const place = this.spans.length;
    this.open.push(is.style);
    inside();
    this.open.pop();
    if (this.length > start) this.spans.splice(place, 0, { start, end: this.length, ...is });
  }

  private writeLine(line: string): void {
    if (line === "") return;
    this.startLine();
    this.put(line);
  }

  private startLine(): void {
    if (!this.isLineStart) return;
    this.put(this.bullet ?? this.prefix);
    this.bullet = undefined;
    this.isLineStart = false;
  }

  private put(text: string): void {
    this.parts.push(text);
    this.length += text.length;
  }
}
