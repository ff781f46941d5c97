import { shownText } from "./shown-text.ts";

/** The end of what a command prints, as a terminal would leave it standing, in bounded memory. */
export interface OutputTail {
  push(text: string): void;
  /** The last ones, as many as are kept. The line that is still written is one of them. */
  lines(): readonly string[];
  /** How many there were. */
  count(): number;
}

const longestLine = 4_000;
const longestSequence = 4_000;

export function outputTail(keep: number): OutputTail {
  let lines: string[] = [];
  let ended = 0;
  let open = "";
  let cutOff = 0;
  let carry = "";

  const write = (text: string): void => {
    const from = text.lastIndexOf("\r");
    if (from >= 0) [open, cutOff] = ["", 0];
    const piece = text.slice(from + 1);
    const room = longestLine - open.length;
    open += room > 0 ? piece.slice(0, room) : "";
    cutOff += Math.max(0, piece.length - room);
  };
  const endLine = (): void => {
    lines.push(lineText(open, cutOff));
    ended += 1;
    [open, cutOff] = ["", 0];
    if (lines.length > 2 * keep) lines = lines.slice(-keep);
  };

  return {
    push(text) {
      const [ready, rest] = withoutSequences(carry + text);
      carry = rest;
      const pieces = ready.split("\n");
      const last = pieces.pop() ?? "";
      for (const piece of pieces) {
        write(withoutLineEnd(piece));
        endLine();
      }
      write(last);
    },
    lines: () => [...lines.slice(-keep), ...(open === "" ? [] : [lineText(open, cutOff)])].slice(-keep),
    count: () => ended + (open === "" ? 0 : 1),
  };
}

/** Colours, cursor movements, titles and links. Some are ended by BEL or ESC \. */
const sequence =
  // oxlint-disable-next-line no-control-regex
  /[\u001B][\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|\u001B[ -/]*[0-Z\\^-~]/g;

/** What may go on in the next piece: the beginning of a sequence, or a CR that an LF follows. */
const unfinished =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001B(?:[\]PX^_][^\u0007\u001B]*\u001B?|\[[0-?]*[ -/]*|[ -/]*)|\u009B[0-?]*[ -/]*|\r+)$/;

function withoutSequences(text: string): readonly [ready: string, rest: string] {
  const at = Math.max(0, text.length - longestSequence);
  const rest = unfinished.exec(text.slice(at))?.[0] ?? "";
  return [text.slice(0, text.length - rest.length).replaceAll(sequence, ""), rest];
}

/** Some write CR CR LF. A pattern would look at each CR of a long row of them again and again. */
function withoutLineEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end -= 1;
  return line.slice(0, end);
}

function lineText(line: string, cutOff: number): string {
  const shown = shownText(line.includes("\b") ? overwritten(line) : line).replaceAll("\n", " ");
  return cutOff === 0 ? shown : `${shown} … ${cutOff.toLocaleString("en-US")} more characters`;
}

/** A backspace takes back what stands before it. */
function overwritten(line: string): string {
  const left: string[] = [];
  for (const character of line) {
    if (character === "\b") left.pop();
    if (character !== "\b") left.push(character);
  }
  return left.join("");
}
