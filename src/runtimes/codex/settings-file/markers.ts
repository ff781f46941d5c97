import { type OurServers, isUnmarkedOurs } from "./unmarked-tables.ts";
import { type Layout, layoutOf, lineEnd, lineStart } from "./toml-layout.ts";
import { refused } from "./refused.ts";

export const beginMark =
  "# >>> talaria: written by `talaria codex-runtime migrate`; keep your own settings outside of this >>>";
export const endMark = "# <<< talaria: end <<<";
/** Behind each table and each key of the block that is ours, because codex itself puts settings between them. */
export const ourMark = "talaria";

/** A file cut at the marks. Without a block everything is `before`. */
export type Cut = {
  readonly before: string;
  /** Between the marks, which are in neither part. */
  readonly body?: string;
  readonly after: string;
};

/** Throws a FaultError if the marks are not one pair. `servers`: ours, which show where a lost begin mark stood. */
export function cutAtMarks(file: string, text: string, servers: OurServers): Cut {
  const found = withLostBegin(text, marksIn(text), servers);
  const begins = found.filter(({ kind }) => kind === ">>>");
  const ends = found.filter(({ kind }) => kind === "<<<");
  const [begin] = begins;
  const [end] = ends;
  if (begin === undefined && end === undefined) return { before: text, after: "" };
  if (begin === undefined || end === undefined || found.length > 2 || end.start < begin.start) {
    throw damaged(file, text, found);
  }
  const afterMark = lineEnd(text, end.start);
  const closed = text.endsWith("\n") || afterMark < text.length;
  const before = text.slice(0, begin.start);
  return {
    // A last line that is open before the block is put there is open again when it is gone.
    before: closed ? before : before.replace(/\r?\n$/, ""),
    body: text.slice(begin.lost === true ? begin.start : lineEnd(text, begin.start), end.start),
    after: text.slice(afterMark),
  };
}

export const hasMarks = (text: string): boolean => marksIn(text).length > 0;

type Mark = { readonly start: number; readonly kind: string; readonly lost?: true };

/** The begin mark goes with the comments of the first server when codex writes the servers anew. */
function withLostBegin(text: string, found: readonly Mark[], servers: OurServers): readonly Mark[] {
  const [end] = found;
  const layout = readable(text);
  if (end?.kind !== "<<<" || found.length > 1 || layout === undefined) return found;
  const isOurs = isUnmarkedOurs(text, servers);
  const first = layout.tables.find((table) => table.start < end.start && isOurs(table));
  if (first === undefined) return found;
  return [{ start: lineStart(text, first.start), kind: ">>>", lost: true }, end];
}

const pattern = /^(>>>|<<<) talaria\b/;

/** What looks like a mark inside a text of several lines is none, unless the file cannot be read as TOML. */
function marksIn(text: string): readonly Mark[] {
  const layout = readable(text);
  const comments =
    layout?.comments.filter(({ alone }) => alone) ??
    [...text.matchAll(/^[ \t]*#(.*)$/gm)].map((match) => ({
      start: match.index,
      text: (match[1] ?? "").trim(),
    }));
  return comments.flatMap((comment) => {
    const kind = pattern.exec(comment.text)?.[1];
    return kind === undefined ? [] : [{ start: lineStart(text, comment.start), kind }];
  });
}

function readable(text: string): Layout | undefined {
  try {
    return layoutOf(text);
  } catch {
    return undefined;
  }
}

function damaged(file: string, text: string, found: readonly Mark[]): Error {
  const where = found.map(({ start, kind }) => {
    const line = text.slice(0, start).split("\n").length;
    return `${kind === ">>>" ? "a begin" : "an end"} mark in line ${line}`;
  });
  return refused(
    `The part of ${file} that Talaria writes is damaged: there is ${where.join(", ")}, where one begin mark and one end mark behind it are expected.`,
    `Delete what Talaria wrote there, marks included, or put ${file}.talaria-backup in its place, and run this again.`,
  );
}
