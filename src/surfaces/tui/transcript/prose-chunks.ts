import { wholeCharacters } from "./shown-text.ts";

/**
 * A piece of Markdown that can be laid out by itself. What was written into a finished one never changes its look, so a
 * long answer is laid out once while it streams in.
 */
export type Chunk =
  | { readonly kind: "prose"; readonly text: string }
  | {
      readonly kind: "code";
      readonly text: string;
      /** The language, if this piece is the beginning of its block. */
      readonly opens?: string;
      readonly closes: boolean;
    };

export interface ProseChunks {
  push(text: string): void;
  /** Finished ones stay the same objects; the last one may still grow. */
  chunks(): readonly Chunk[];
}

/** Laying Markdown out takes time by the square of what a hostile text has in one piece. */
const longestChunk = 8_000;
const mostCodeLines = 100;

type Fence = { readonly mark: string; readonly indent: number };

export function proseChunks(): ProseChunks {
  const done: Chunk[] = [];
  let lines: string[] = [];
  let size = 0;
  let fence: Fence | undefined;
  let opens: string | undefined;

  const current = (more: readonly string[], closes = false): Chunk | undefined => {
    const text = [...lines, ...more].join("\n");
    if (fence !== undefined) return { kind: "code", text, closes, ...(opens === undefined ? {} : { opens }) };
    const prose = text.replace(/^(?: *\n)+/, "").trimEnd();
    return prose === "" ? undefined : { kind: "prose", text: prose };
  };
  const flush = (closes = false): void => {
    const chunk = current([], closes);
    if (chunk !== undefined) done.push(chunk);
    [lines, size, opens] = [[], 0, undefined];
  };
  const keep = (line: string): void => {
    lines.push(line);
    size += line.length + 1;
  };
  const takeCode = (line: string, { mark, indent }: Fence): void => {
    if (closesFence(line, mark)) {
      flush(true);
      fence = undefined;
      return;
    }
    if (lines.length >= mostCodeLines || size + line.length > longestChunk) flush();
    keep(line.replace(new RegExp(`^ {0,${indent}}`), ""));
  };
  const take = (line: string): void => {
    if (fence !== undefined) return takeCode(line, fence);
    const opening = /^( {0,3})(`{3,}|~{3,})([^`]*)$/.exec(line);
    if (opening !== null) {
      flush();
      fence = { mark: opening[2] ?? "```", indent: opening[1]?.length ?? 0 };
      opens = opening[3]?.trim() ?? "";
      return;
    }
    if (endsBefore(line)) flush();
    keep(line);
  };
  /** Does what there is so far end before this line? Its beginning tells. */
  const endsBefore = (line: string): boolean =>
    size + line.length > longestChunk || (lines.at(-1)?.trim() === "" && /^\S/.test(line));

  const feed = lineFeed(take);
  return {
    push(text) {
      feed.push(text);
      if (fence === undefined && endsBefore(feed.rest())) flush();
    },
    chunks() {
      const rest = feed.rest();
      const last = current(rest === "" ? [] : [rest]);
      return last === undefined ? done : [...done, last];
    },
  };
}

/** Gives lines on as they are complete. One that gets too long is given on in pieces. */
function lineFeed(take: (line: string) => void): { push(text: string): void; rest(): string } {
  let rest = "";
  return {
    push(text) {
      const [first = "", ...others] = text.split("\n");
      rest += first;
      for (const other of others) {
        takeLong();
        take(rest);
        rest = other;
      }
      takeLong();
    },
    rest: () => rest,
  };
  function takeLong(): void {
    while (rest.length > longestChunk) {
      const at = breakAt(rest);
      take(rest.slice(0, at));
      rest = rest.slice(at);
    }
  }
}

const closesFence = (line: string, mark: string): boolean => {
  const found = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1] ?? "";
  return found.startsWith(mark);
};

/** After a word, if there is one. */
function breakAt(line: string): number {
  const space = line.lastIndexOf(" ", longestChunk);
  return space > 0 ? space + 1 : wholeCharacters(line, longestChunk);
}
