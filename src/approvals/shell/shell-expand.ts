import { expandBraces } from "./shell-braces.ts";
import { fedFile, plain, quote, severalOf, unknown, withoutMarks } from "./shell-marks.ts";
import { type Effort, spend } from "./shell-reader.ts";
import type { Part, Script, Word } from "./shell-syntax.ts";

/** One argument as a program would get it. */
export type Field = {
  /** Plain text; what only the run decides is one `unknown` mark. */
  readonly text: string;
  /** Unquoted `*`, `?` or `[`: a pattern of file names. */
  readonly glob: boolean;
  /** It came out of a variable, a substitution or braces. */
  readonly computed: boolean;
};

/** What a word may refer to while it is expanded. */
export type Scope = {
  readonly vars: Map<string, string>;
  readonly effort: Effort;
  /** Goes through a substitution; its output where that can be told. */
  readonly output: (body: Script) => string | undefined;
  /** Keeps the output of `<( … )`; the number of the file that stands for it. */
  readonly feed: (output: string | undefined) => number;
};

/** Longer values are not put in; they would let a short text grow without bound. */
const longestValue = 65_536;

/** The product of a text's and its replacement's lengths: beyond it nobody looks at the result. */
export const mostGrowth = 1_000_000;

/** The fields that a word becomes: several by braces or by blanks in a variable, none if all of it is empty. */
export function expandWord(word: Word, scope: Scope): readonly Field[] {
  const marked = markedOf(word, scope);
  const computed = word.some((part) => part.kind !== "text") || /[{]/.test(marked);
  return expandBraces(marked, scope.effort)
    .flatMap((piece) => piece.split(/[ \t\n]+/))
    .filter((piece) => piece !== "")
    .map((piece) => fieldOf(piece, computed, scope));
}

/** All of a word as one text, as in an assignment or a here-document. */
export function expandText(word: Word, scope: Scope): string {
  return plain(withHome(markedOf(word, scope), scope));
}

function fieldOf(marked: string, computed: boolean, scope: Scope): Field {
  return { text: plain(withHome(marked, scope)), glob: /[*?[]/.test(marked), computed };
}

/** `~` and `~user` at the beginning; the folders of other people are not known. */
function withHome(marked: string, scope: Scope): string {
  const [whole = "", user = ""] = /^~([A-Za-z_][\w.-]*|[+-])?(?=\/|$)/.exec(marked) ?? [];
  if (whole === "") return marked;
  if (user === "") return quote(scope.vars.get("HOME") ?? "") + marked.slice(1);
  if (user === "+") return quote(scope.vars.get("PWD") ?? "") + marked.slice(2);
  if (user === scope.vars.get("USER"))
    return quote(scope.vars.get("HOME") ?? "") + marked.slice(whole.length);
  return (user === "root" ? "/root" : unknown) + marked.slice(whole.length);
}

function markedOf(word: Word, scope: Scope): string {
  return word.map((part) => partOf(part, scope)).join("");
}

function partOf(part: Part, scope: Scope): string {
  if (part.kind === "text") return part.text;
  if (part.kind === "run") {
    const output = scope.output(part.body)?.replace(/\n+$/, "");
    if (part.fed) return fedFile + scope.feed(output);
    return valueOf(output, part.quoted, scope);
  }
  return variableOf(part, scope);
}

function valueOf(value: string | undefined, quoted: boolean, scope: Scope): string {
  if (value === undefined || value.length > longestValue || !spend(scope.effort, value.length))
    return unknown;
  const words = severalOf(value);
  if (words !== undefined) return `{${words.map(quote).join(",")}}`;
  const safe = value.includes(unknown) ? value : withoutMarks(value);
  return quoted ? quote(safe) : safe;
}

type Variable = Extract<Part, { kind: "variable" }>;

function variableOf(part: Variable, scope: Scope): string {
  const known = scope.vars.get(part.name);
  const colonless = part.op.replace(/^:/, "");
  if (part.name === "" && part.op === ":+") {
    markedOf(part.word, scope);
    return "";
  }
  if (part.op === "") return valueOf(known, part.quoted, scope);
  if ("-=?".includes(colonless) && colonless !== "") {
    const otherwise = markedOf(part.word, scope);
    if (colonless === "=") scope.vars.set(part.name, plain(otherwise));
    return known === undefined || known === "" ? otherwise : valueOf(known, part.quoted, scope);
  }
  if (colonless === "+") return markedOf(part.word, scope);
  const argument = plain(markedOf(part.word, scope));
  return valueOf(
    known === undefined ? undefined : transformed(known, part.op, argument, scope),
    part.quoted,
    scope,
  );
}

/** `${x:1:2}`, `${x/a/b}`, `${x^^}`, `${!x}`; patterns only where they are plain text. */
function transformed(value: string, op: string, argument: string, scope: Scope): string | undefined {
  if (op === "!") return scope.vars.get(value);
  if (op === ":" || op === ":-") return substring(value, argument);
  if (op === "#" && argument === "") return String(value.length);
  if (op === "^^" || op === "@") return value.toUpperCase();
  if (op === ",,") return value.toLowerCase();
  if (op === "^") return value.charAt(0).toUpperCase() + value.slice(1);
  if (op === ",") return value.charAt(0).toLowerCase() + value.slice(1);
  if (/[*?[]/.test(argument)) return undefined;
  if (op === "/" || op === "//") {
    const [pattern = "", replacement = ""] = argument.split("/");
    if (pattern === "") return value;
    if (value.length * replacement.length > mostGrowth) return undefined;
    return op === "/"
      ? value.replace(pattern, () => replacement)
      : value.replaceAll(pattern, () => replacement);
  }
  if (op === "#" || op === "##") return value.startsWith(argument) ? value.slice(argument.length) : value;
  if (op === "%" || op === "%%")
    return value.endsWith(argument) ? value.slice(0, -argument.length || undefined) : value;
  return undefined;
}

function substring(value: string, argument: string): string | undefined {
  const match = /^\s*(-?\d+)\s*(?::\s*(-?\d+)\s*)?$/.exec(argument);
  if (match === null) return undefined;
  const from = Number(match[1]);
  const tail = value.slice(from);
  if (match[2] === undefined) return tail;
  return tail.slice(0, Number(match[2]));
}
