import type { OurServers } from "./unmarked-tables.ts";
import { type Block, type WantedSettings, emptyBlock, newBlock } from "./block.ts";
import { beginMark, cutAtMarks, endMark } from "./markers.ts";
import { type OldBlock, noBlock, readOldBlock } from "./old-block.ts";
import { type PersonSettings, personSettings } from "./person-settings.ts";
import { refused } from "./refused.ts";
import { type Document, readDocument } from "./toml-document.ts";
import { pieceStart } from "./toml-layout.ts";
import { type Meaning, isSum, readMeaning } from "./toml-meaning.ts";

export type Rewritten = {
  readonly text: string;
  readonly block: Block;
  readonly person: PersonSettings;
  /** Settings of others that stood inside the block, by name. They stand outside now. */
  readonly movedOut: readonly string[];
};

const byteOrderMark = "\uFEFF";

/**
 * The text of codex's settings with our block as it is to be; without `wanted`, with no block. All that is not ours is the
 * same to the byte, and the result is checked to say the same plus what is ours. `servers`: all of ours, wanted or not,
 * by which tables are known that have lost their mark. Throws a FaultError if it cannot be.
 */
export function rewrite(
  file: string,
  before: string,
  wanted: WantedSettings | undefined,
  servers: OurServers = wanted?.servers ?? new Map(),
): Rewritten {
  const start = before.startsWith(byteOrderMark) ? byteOrderMark : "";
  const text = before.slice(start.length);
  const end = lineEndOf(text) ?? "\n";
  const { own, old } = ownPart(file, text, end, servers);
  const person = personSettings(own);
  const block = wanted === undefined ? emptyBlock(old) : newBlock(wanted, person, old);
  const after = block.lines.length === 0 ? own.text : withBlock(own, block.lines, lineEndOf(own.text) ?? end);
  check(file, after, own.meaning, block.lines.join(end));
  const { entries, tables } = old.foreign;
  return { text: start + after, block, person, movedOut: [...entries, ...tables].map(({ key }) => key) };
}

const lineEndOf = (text: string): string | undefined => /\r?\n/.exec(text)?.[0];

/** What is not ours, as it would be without the block. */
function ownPart(
  file: string,
  text: string,
  end: string,
  servers: OurServers,
): { readonly own: Document; readonly old: OldBlock } {
  const { before, body, after } = cutAtMarks(file, text, servers);
  if (body === undefined) return { own: documentOf(file, text, before), old: noBlock };
  const old = readOldBlock(file, body, servers);
  const entries = old.foreign.entries.map(({ text: lines }) => lines).join("");
  const tables = old.foreign.tables.map(({ text: lines }) => lines).join(end);
  const rest = documentOf(file, text, withLines(before, before.length, entries, end) + after);
  // Keys that stand behind a table would become a part of it.
  const own = withLines(rest.text, placeIn(rest), tables, end);
  return { own: documentOf(file, text, own), old };
}

function withLines(text: string, at: number, lines: string, end: string): string {
  if (lines === "") return text;
  const above = text.slice(0, at);
  return (isClosed(above) ? above : above + end) + lines + text.slice(at);
}

/** Does a new line begin behind it? */
const isClosed = (text: string): boolean => text === "" || text.endsWith("\n");

/** Before the first table and the comments that belong to it, else at the end. */
function placeIn({ text, layout }: Document): number {
  const [first] = layout.tables;
  return first === undefined ? text.length : pieceStart(text, layout, first);
}

/** `whole`: the file as it is, so that the line is the one that people see. */
function documentOf(file: string, whole: string, text: string): Document {
  const read = readDocument(text);
  if (!("problem" in read)) return read;
  const all = readDocument(whole);
  const { why, line } = "problem" in all ? all.problem : read.problem;
  throw refused(
    `${file} is not valid TOML, so codex cannot read it either: line ${line}: ${why}.`,
    "Correct that line and run this again.",
  );
}

/** Whole lines, so that taking them out again gives the same bytes, also where the last line has no end. */
function withBlock(own: Document, lines: readonly string[], end: string): string {
  const at = placeIn(own);
  const [above, below] = [own.text.slice(0, at), own.text.slice(at)];
  const block = [beginMark, ...lines, endMark].join(end);
  return isClosed(above) ? above + block + end + below : above + end + block;
}

/** Not trusted but checked: it is somebody's file. */
function check(file: string, after: string, own: Meaning, body: string): void {
  const [whole, ours] = [readMeaning(after), readMeaning(body)];
  if ("meaning" in whole && "meaning" in ours && isSum(whole.meaning, own, ours.meaning)) return;
  const why =
    "problem" in whole ? `${whole.problem.why} in line ${whole.problem.line}` : "its meaning changes";
  throw refused(
    `Talaria cannot add its part to ${file}: ${why}.`,
    `Please report this with the names of the tables in ${file}.`,
  );
}
