import type { Styled } from "../text/styled.ts";
import { bareLink, codeBlock, escaped, inlineCode, linkable, unseen } from "./escape.ts";
import { runsOf, type Run } from "./runs.ts";

/** A text in Discord's markup, in which nothing has a meaning but what has a style. */
export function discordMarkdown(styled: Styled): string {
  const page = new Page();
  for (const group of groupsOf(runsOf(styled))) {
    const [first] = group;
    if (first === undefined) continue;
    page.quote(first.isQuote);
    if (first.pre !== undefined) page.block(codeBlock(textOf(group), first.pre.language));
    if (first.pre === undefined && first.link !== undefined) writeLink(page, group, first.link.url ?? "");
    if (first.pre === undefined && first.link === undefined) group.forEach((run) => writeRun(page, run));
  }
  return page.done();
}

/** Runs of one link or of one block of code are together; others are alone. */
function groupsOf(runs: readonly Run[]): readonly (readonly Run[])[] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const unit = run.pre ?? run.link;
    const [before] = groups.at(-1) ?? [];
    const isSame = unit !== undefined && unit === (before?.pre ?? before?.link);
    if (isSame) groups.at(-1)?.push(run);
    if (!isSame) groups.push([run]);
  }
  return groups;
}

const textOf = (runs: readonly Run[]): string => runs.map((run) => run.text).join("");

/** Discord shows a link behind words only if these look like no address, and takes brackets in them for its own. */
function writeLink(page: Page, runs: readonly Run[], url: string): void {
  const words = textOf(runs);
  if (words === url) return page.write(bareLink(url));
  const canHide = !/[[\]\n]|:\/\/|www\./i.test(words) && words.trim() !== "";
  if (canHide) page.write("[");
  for (const run of runs) writeRun(page, run, canHide);
  page.write(canHide ? `](<${linkable(url)}>)` : ` (${bareLink(url)})`);
}

function writeRun(page: Page, run: Run, isLabel = false): void {
  const [first = "", ...rest] = run.text.split("\n");
  writePiece(page, run, first, isLabel);
  for (const piece of rest) {
    page.newLine();
    writePiece(page, run, piece, isLabel);
  }
}

/** Signs of a style count only beside a letter, so blanks stay outside of them. */
function writePiece(page: Page, run: Run, text: string, isLabel: boolean): void {
  if (text === "") return;
  if (run.isCode) return page.write(inlineCode(text), "`");
  const sign = `${run.isStruck ? "~~" : ""}${run.isBold ? "**" : ""}${run.isItalic ? "*" : ""}`;
  const letters = text.trim();
  if (sign === "" || letters === "") return page.write(escaped(text, page.isLineStart && !isLabel));
  const at = text.indexOf(letters);
  page.write(text.slice(0, at));
  const mirrored = [...sign].toReversed().join("");
  page.write(`${sign}${escaped(letters, false)}${mirrored}`, sign[0], sign[0]);
  page.write(text.slice(at + letters.length));
}

/** The text so far. Lines of a quotation begin with its sign; blocks have lines of their own. */
class Page {
  readonly #parts: string[] = [];
  #isQuote = false;
  /** Nothing but blanks is on the line. */
  isLineStart = true;
  /** A block or a quotation has just ended: whatever comes now starts a line. */
  #isBlockEnd = false;
  #lastSign: string | undefined;
  #hasSign = false;

  /** `sign`: the sign of a style with which it begins and ends; two of the same would be read as one. */
  write(text: string, sign?: string, endSign = sign): void {
    if (text === "") return;
    if (this.#isBlockEnd) this.newLine();
    this.#startLine();
    if (sign !== undefined && sign === this.#lastSign) this.#parts.push(unseen);
    this.#parts.push(text);
    this.#lastSign = endSign;
    if (text.trim() !== "") this.isLineStart = false;
  }

  newLine(): void {
    this.#startLine();
    this.#parts.push("\n");
    this.isLineStart = true;
    this.#isBlockEnd = false;
    this.#lastSign = undefined;
    this.#hasSign = false;
  }

  block(text: string): void {
    if (!this.isLineStart || this.#isBlockEnd) this.newLine();
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) this.newLine();
      this.write(line);
    }
    this.#isBlockEnd = true;
    this.isLineStart = false;
  }

  quote(isQuote: boolean): void {
    if (isQuote === this.#isQuote) return;
    if (isQuote && (!this.isLineStart || this.#isBlockEnd)) this.newLine();
    if (!isQuote && !this.isLineStart) this.#isBlockEnd = true;
    this.#isQuote = isQuote;
  }

  done(): string {
    return this.#parts.join("");
  }

  #startLine(): void {
    if (this.#isQuote && !this.#hasSign) this.#parts.push("> ");
    this.#hasSign = this.#isQuote;
  }
}
