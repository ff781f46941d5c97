import { quote, unknown } from "./shell-marks.ts";
import {
  type Reader,
  looksAt,
  nested,
  newReader,
  peek,
  take,
  takeIf,
  takeRun,
  takeUntil,
} from "./shell-reader.ts";
import type { Part, Script, Word } from "./shell-syntax.ts";

/** Reads commands up to the given end; handed in because words hold commands and commands hold words. */
export type ReadList = (reader: Reader, end: string) => Script;

const text = (value: string): Part => ({ kind: "text", text: value });

const endsWord = new Set(["", " ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);

/** One word: everything up to an unquoted blank or operator. */
export function readWord(reader: Reader, list: ReadList): Word {
  const parts: Part[] = [];
  while (peek(reader) !== "") {
    const char = peek(reader);
    if ((char === "<" || char === ">") && reader.text.charAt(reader.at + 1) === "(") {
      parts.push(readRun(reader, list, { open: 2, end: ")", quoted: false, fed: true }));
      continue;
    }
    if (char === "(" && /[@!+*?]$/.test(lastText(parts))) {
      // An extended glob, `!(a|b)`: what it matches is known to the file system alone.
      takeUntil(reader, ")");
      parts.push(text("*"));
      continue;
    }
    if (endsWord.has(char)) break;
    parts.push(...readUnquoted(reader, list));
  }
  return joined(parts);
}

function readUnquoted(reader: Reader, list: ReadList): Part[] {
  const char = peek(reader);
  if (char === "'") {
    take(reader);
    return [text(quote(takeUntil(reader, "'")))];
  }
  if (char === '"') {
    take(reader);
    return readQuoted(reader, list, '"');
  }
  if (char === "\\") {
    take(reader);
    const escaped = take(reader);
    return escaped === "\n" || escaped === "" ? [] : [text(quote(escaped))];
  }
  if (char === "$") return readDollar(reader, list, false);
  if (char === "`") return [readBackticks(reader, list, false)];
  const run = takeRun(reader, plainRun);
  return [text(run === "" ? take(reader) : run)];
}

/** What means nothing to the reader of words. */
const plainRun = /[^\s;&|<>()'"\\$`}]+/y;

/** What means nothing between double quotes, nor could end an arithmetic expression. */
const quotedRun = /[^$`"\\)]+/y;

/** Between double quotes, or a here-document: `$`, backticks and few escapes still mean something. */
export function readQuoted(reader: Reader, list: ReadList, end: string): Part[] {
  const parts: Part[] = end === '"' ? [text(quote(""))] : [];
  while (peek(reader) !== "") {
    const char = peek(reader);
    if (end !== "" && takeIf(reader, end)) return parts;
    if (char === "$") {
      parts.push(...readDollar(reader, list, true));
      continue;
    }
    if (char === "`") {
      parts.push(readBackticks(reader, list, true));
      continue;
    }
    const run = takeRun(reader, quotedRun);
    parts.push(text(quote(run === "" ? (char === "\\" ? readEscape(reader) : take(reader)) : run)));
  }
  if (end !== "") reader.broken = true;
  return parts;
}

function readEscape(reader: Reader): string {
  take(reader);
  const next = peek(reader);
  if (next === "\n") {
    take(reader);
    return "";
  }
  return '$`"\\'.includes(next) && next !== "" ? take(reader) : "\\";
}

function readDollar(reader: Reader, list: ReadList, quoted: boolean): Part[] {
  if (looksAt(reader, "$((")) return nested(reader, [], () => readArithmetic(reader, list));
  if (looksAt(reader, "$(")) return [readRun(reader, list, { open: 2, end: ")", quoted, fed: false })];
  if (takeIf(reader, "${")) return nested(reader, [], () => [readBraced(reader, list, quoted)]);
  if (!quoted && takeIf(reader, "$'")) return [text(quote(readAnsiC(reader)))];
  if (!quoted && takeIf(reader, '$"')) return readQuoted(reader, list, '"');
  take(reader);
  const name = takeName(reader);
  if (name === "") return [text(quoted ? quote("$") : "$")];
  return [{ kind: "variable", name, op: "", word: [], quoted }];
}

/** Its value is a number; the commands inside it run all the same. */
function readArithmetic(reader: Reader, list: ReadList): Part[] {
  takeIf(reader, "$((");
  const inside = readQuoted(reader, list, "))");
  return [...inside.filter((part) => part.kind === "run").map(unprinted), text(unknown)];
}

/** Runs, but its output is no part of the word. */
const unprinted = (part: Part): Part => ({
  kind: "variable",
  name: "",
  op: ":+",
  word: [part],
  quoted: true,
});

function readRun(
  reader: Reader,
  list: ReadList,
  how: { readonly open: number; readonly end: string; readonly quoted: boolean; readonly fed: boolean },
): Part {
  for (let index = 0; index < how.open; index++) take(reader);
  const awaited = reader.awaited;
  reader.awaited = [];
  const body = nested(reader, [], () => list(reader, how.end));
  reader.awaited = awaited;
  return { kind: "run", body, quoted: how.quoted, fed: how.fed };
}

/** Inside backticks a backslash hides one more level; it is taken off before the inside is read. */
function readBackticks(reader: Reader, list: ReadList, quoted: boolean): Part {
  take(reader);
  let inside = "";
  while (peek(reader) !== "" && peek(reader) !== "`") {
    const char = take(reader);
    inside += char === "\\" && '$`\\"'.includes(peek(reader)) ? take(reader) : char;
  }
  if (take(reader) === "") reader.broken = true;
  const body = nested(reader, [], () => {
    const inner = newReader(inside, reader.effort, reader.depth);
    const script = list(inner, "");
    if (inner.broken) reader.broken = true;
    return script;
  });
  return { kind: "run", body, quoted, fed: false };
}

function takeName(reader: Reader): string {
  if ("@*#?$!-0123456789".includes(peek(reader)) && peek(reader) !== "") return take(reader);
  let name = "";
  while (/^\w$/.test(peek(reader))) name += take(reader);
  return name;
}

/** Longer ones first. */
const expansions = ":- := :? :+ // ## %% ^^ ,, : - = ? + # % / ^ , @".split(" ");

/** `${…}`, after its opening. */
function readBraced(reader: Reader, list: ReadList, quoted: boolean): Part {
  const indirect = takeIf(reader, "!") ? "!" : "";
  const counts = looksAt(reader, "#") && reader.text.charAt(reader.at + 1) !== "}" && takeIf(reader, "#");
  const name = takeName(reader);
  if (takeIf(reader, "[")) takeUntil(reader, "]");
  const op = indirect || (counts ? "#" : (expansions.find((expansion) => takeIf(reader, expansion)) ?? ""));
  const word: Part[] = [];
  while (peek(reader) !== "" && peek(reader) !== "}") word.push(...readUnquoted(reader, list));
  if (take(reader) === "") reader.broken = true;
  return { kind: "variable", name, op, word: joined(word), quoted };
}

const simpleEscapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  v: "\v",
};

/** `$'…'`, after its opening. */
function readAnsiC(reader: Reader): string {
  let value = "";
  while (peek(reader) !== "") {
    const char = take(reader);
    if (char === "'") return value;
    value += char === "\\" ? readAnsiCEscape(reader) : char;
  }
  reader.broken = true;
  return value;
}

function readAnsiCEscape(reader: Reader): string {
  const rest = reader.text.slice(reader.at, reader.at + 9);
  const [whole = "", hex, octal, control] =
    /^(?:x([0-9a-f]{1,2})|([0-7]{1,3})|c(.))/i.exec(rest) ??
    /^(?:u([0-9a-f]{1,4}))/.exec(rest) ??
    longEscape(rest);
  if (whole === "") {
    const char = take(reader);
    return simpleEscapes[char] ?? char;
  }
  takeIf(reader, whole);
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
  return codePoint(hex === undefined ? Number.parseInt(octal ?? "0", 8) & 0xff : Number.parseInt(hex, 16));
}

const longEscape = (rest: string): readonly (string | undefined)[] => /^U([0-9a-fA-F]{1,8})/.exec(rest) ?? [];

export const codePoint = (code: number): string =>
  code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";

const lastText = (parts: readonly Part[]): string => {
  const last = parts.at(-1);
  return last?.kind === "text" ? last.text : "";
};

/** Neighbouring text as one part. */
function joined(parts: readonly Part[]): Word {
  const word: Part[] = [];
  let run: string[] = [];
  const flush = (): void => {
    if (run.length > 0) word.push(text(run.join("")));
    run = [];
  };
  for (const part of parts) {
    if (part.kind === "text") {
      run.push(part.text);
      continue;
    }
    flush();
    word.push(part);
  }
  flush();
  return word;
}
