import { short } from "../../../core/plain-text.ts";
import type { FileList } from "./file-list.ts";
import { bestOf } from "./fuzzy.ts";
import { pathsLike } from "./path-completion.ts";
import type { AutocompleteItem, AutocompleteProvider } from "../toolkit.ts";

/** How a line that starts with a slash may go on. `value` takes the place of its last word. */
export type CompleteCommand = (line: string) => Offered | Promise<Offered>;
type Offered = readonly { readonly value: string; readonly label: string; readonly detail?: string }[];

export type Completion = {
  readonly provider: AutocompleteProvider;
  /** Is the list that was given last about this text and cursor? Keys can be faster than a list. */
  isFor(text: string, cursor: Cursor): boolean;
  /** Does Enter take the marked entry? If not, it means the text as it stands. `chosen`: an arrow key marked it. */
  takesEnter(chosen: boolean): boolean;
};

type Cursor = { readonly line: number; readonly col: number };
type Found = {
  /** Where in the line begins what an entry replaces. */
  readonly from: number;
  readonly items: readonly AutocompleteItem[];
  readonly isCommand: boolean;
};
type Shown = Found & Cursor & { readonly text: string; readonly before: string };
type Options = { readonly cwd: string; readonly complete: CompleteCommand; readonly files: FileList };

const mostFiles = 20;

/** `/` at the start: commands and their arguments. `@` at the start of a word: files. Tab behind a word: paths. */
export function completion(options: Options): Completion {
  let shown: Shown | undefined;
  const isFor: Completion["isFor"] = (text, { line, col }) =>
    shown?.text === text && shown.line === line && shown.col === col;
  return {
    isFor,
    takesEnter: (chosen) => shown !== undefined && (chosen || finishes(shown)),
    provider: {
      async getSuggestions(lines, line, col, { signal, force }) {
        const text = lines.join("\n");
        const before = (lines[line] ?? "").slice(0, col);
        // A rejection would break the editor's completion for good.
        const found = await find(options, before, line, force === true, signal).catch(() => undefined);
        if (signal.aborted) return null;
        shown = found && { ...found, text, before, line, col };
        if (found === undefined || found.items.length === 0) return null;
        // With a prefix that starts with a slash, Enter takes the entry and submits. That is for commands only.
        return { items: [...found.items], prefix: found.isCommand ? before.slice(found.from) : "" };
      },
      applyCompletion(lines, line, col, item) {
        const unchanged = { lines, cursorLine: line, cursorCol: col };
        if (shown === undefined || !isFor(lines.join("\n"), { line, col })) return unchanged;
        const { text, cursor } = replaced(lines[line] ?? "", shown.from, col, item.value);
        return { lines: lines.with(line, text), cursorLine: line, cursorCol: cursor };
      },
    },
  };
}

async function find(
  options: Options,
  before: string,
  line: number,
  force: boolean,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const at = wordBefore(before, mention);
  if (at !== undefined) return { ...at, isCommand: false, items: await files(options, at, signal) };
  const typedLine = before.trimStart();
  const items = line === 0 && typedLine.startsWith("/") ? await commands(options.complete, typedLine) : [];
  if (items.length > 0) return { from: before.length - typedLine.length, items, isCommand: true };
  const word = force ? wordBefore(before, anyWord) : undefined;
  if (word === undefined) return undefined;
  const paths = await pathsLike(word.path, options.cwd, signal);
  return { ...word, isCommand: false, items: paths.map((path) => fileItem(path, "", word.quoted)) };
}

/** Each as the whole line that comes of it. */
async function commands(complete: CompleteCommand, line: string): Promise<readonly AutocompleteItem[]> {
  const rest = line.replace(/\S*$/, "");
  return (await complete(line)).map(({ value, label, detail }) => ({
    value: rest + value,
    label: short(label, 80),
    ...(detail === undefined ? {} : { description: short(detail, 200) }),
  }));
}

async function files(
  { cwd, files: list }: Options,
  at: Word,
  signal: AbortSignal,
): Promise<AutocompleteItem[]> {
  const elsewhere = /^(?:\/|~\/|\.{1,2}\/)/.test(at.path);
  const paths = elsewhere
    ? await pathsLike(at.path, cwd, signal)
    : bestOf(at.path, await list.list(signal), (path) => path, mostFiles);
  return paths.map((path) => fileItem(path, "@", at.quoted));
}

type Word = { readonly from: number; readonly path: string; readonly quoted: boolean };

const mention = /(?:^|[\s(（，。、：；！？「『])(@)(?:"([^"]*)|([^\s"]*))$/u;
const anyWord = /(?:^|[\s=(])()(?:"([^"]*)|([^\s"]+))$/u;

function wordBefore(before: string, pattern: RegExp): Word | undefined {
  const match = pattern.exec(before);
  if (match === null) return undefined;
  const [, sign = "", quoted, bare = ""] = match;
  const path = quoted ?? bare;
  const from = before.length - path.length - sign.length - (quoted === undefined ? 0 : 1);
  return { from, path, quoted: quoted !== undefined };
}

const fileItem = (path: string, sign: string, quoted: boolean): AutocompleteItem => ({
  value: quoted || /\s/.test(path) ? `${sign}"${path}"` : `${sign}${path}`,
  label: path,
});

/** A space follows what is finished; in a folder one goes on, before the closing quote. */
function replaced(line: string, from: number, to: number, value: string): { text: string; cursor: number } {
  const after = value.endsWith('"') ? line.slice(to).replace(/^"/, "") : line.slice(to);
  const inFolder = /\/"?$/.test(value) && value !== "/";
  const space = inFolder || /^\s/.test(after) || isArgument(value) ? "" : " ";
  const cursor = from + value.length + (inFolder && value.endsWith('"') ? -1 : space.length);
  return { text: line.slice(0, from) + value + space + after, cursor };
}

const isArgument = (value: string): boolean => value.startsWith("/") && value.includes(" ");

/**
 * Enter runs the command that is left, or takes the marked file. Of several commands it runs none: what is on top of a
 * list was not chosen. It does not put words into a message that was finished: neither a first argument that nobody
 * asked for, nor a file that is written out already.
 */
function finishes({ isCommand, items, before, from }: Shown): boolean {
  const word = before.slice(from);
  if (!isCommand) return items.every(({ value }) => value !== word);
  return !word.endsWith(" ") && items.length === 1 && items[0]?.value.startsWith(word) === true;
}
