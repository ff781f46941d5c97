import { type AST, ParseError, parseTOML } from "toml-eslint-parser";

export { ParseError as LayoutError };

/** Where everything stands in a TOML text: ranges of characters, the end not included. */
export type Layout = {
  /** Before the first table. */
  readonly entries: readonly Entry[];
  readonly tables: readonly Table[];
  readonly comments: readonly Comment[];
};

export type Entry = Piece;

export type Table = Piece & {
  /** `[[…]]` */
  readonly isList: boolean;
  readonly entries: readonly Entry[];
};

type Piece = {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
  /** What stands behind it on its line: of a table, behind its header. */
  readonly comment: string | undefined;
};

export type Comment = {
  readonly start: number;
  /** Without the `#` and the blanks around. */
  readonly text: string;
  /** Nothing but the comment is on its line. */
  readonly alone: boolean;
};

/** Throws a LayoutError if it is not TOML. A byte order mark must have been taken off. */
export function layoutOf(text: string): Layout {
  const program = parseTOML(text, { tomlVersion: "1.1" });
  const behind = new Map(program.comments.map(({ loc, value }) => [loc.start.line, value.trim()]));
  const entryOf = (node: AST.TOMLKeyValue): Entry => pieceOf(node, node.loc.end.line, behind);
  const nodes = program.body[0].body;
  return {
    entries: nodes.filter((node) => node.type === "TOMLKeyValue").map(entryOf),
    tables: nodes
      .filter((node) => node.type === "TOMLTable")
      .map((node) => ({
        ...pieceOf(node, node.loc.start.line, behind),
        isList: node.kind === "array",
        entries: node.body.map(entryOf),
      })),
    comments: program.comments.map(({ range: [start], value }) => ({
      start,
      text: value.trim(),
      alone: text.slice(lineStart(text, start), start).trim() === "",
    })),
  };
}

function pieceOf(
  { key, range: [start, end] }: AST.TOMLKeyValue | AST.TOMLTable,
  line: number,
  behind: ReadonlyMap<number, string>,
): Piece {
  const path = key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
  return { path, start, end, comment: behind.get(line) };
}

export const lineStart = (text: string, at: number): number =>
  at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;

/** Behind the line's own end. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

/** Where the lines of a piece begin, with the comments directly above it, which belong to it. */
export function pieceStart(
  text: string,
  { comments }: Layout,
  { start }: { readonly start: number },
): number {
  const alone = new Set(comments.filter((one) => one.alone).map((one) => lineStart(text, one.start)));
  let from = lineStart(text, start);
  while (from > 0 && alone.has(lineStart(text, from - 1))) from = lineStart(text, from - 1);
  return from;
}

/** Its lines, those comments included. */
export const pieceText = (text: string, layout: Layout, piece: Piece): string =>
  text.slice(pieceStart(text, layout, piece), lineEnd(text, piece.end));
