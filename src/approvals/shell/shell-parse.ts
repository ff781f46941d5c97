import { plain, quote, withoutMarks } from "./shell-marks.ts";
import {
  type Effort,
  type Reader,
  looksAt,
  nested,
  newReader,
  peek,
  take,
  takeIf,
  takeRun,
} from "./shell-reader.ts";
import type { Assign, Pipeline, Redirect, Script, Simple, Stage, Word } from "./shell-syntax.ts";
import { readQuoted, readWord } from "./shell-word.ts";

/**
 * Reads a text as a shell would, without running anything. Total: what no shell would take is read as far as it goes,
 * and `broken` says so. Linear in the length of the text.
 */
export function parseShell(
  text: string,
  effort: Effort,
): { readonly script: Script; readonly broken: boolean } {
  const reader = newReader(withoutMarks(text), effort);
  const script: Pipeline[] = [];
  while (peek(reader) !== "") script.push(...readList(reader, ""));
  if (reader.awaited.length > 0) readBodies(reader);
  return { script, broken: reader.broken };
}

/** A pipeline while it is read. */
type Draft = {
  stages: Stage[];
  words: Word[];
  assigns: Assign[];
  redirects: Redirect[];
  group: Script | undefined;
};

const newDraft = (): Draft => ({ stages: [], words: [], assigns: [], redirects: [], group: undefined });

/** Up to `end`, which is taken too. `""`: up to the end of the text, or one closing bracket too many. */
function readList(reader: Reader, end: string): Script {
  const script: Pipeline[] = [];
  let draft = newDraft();
  const finish = (background: boolean): void => {
    endStage(draft);
    if (draft.stages.length > 0) script.push({ stages: draft.stages, background });
    draft = newDraft();
  };
  for (;;) {
    skipBlanks(reader);
    const char = peek(reader);
    if (char === "") {
      if (end !== "") reader.broken = true;
      break;
    }
    if (char === ")") {
      take(reader);
      if (reader.pattern) {
        reader.pattern = false;
        draft = newDraft();
        continue;
      }
      if (end === ")") break;
      reader.broken = true;
      continue;
    }
    const operator = takeOperator(reader);
    if (operator === "|" || operator === "|&") {
      endStage(draft);
      continue;
    }
    if (operator !== undefined) {
      finish(operator === "&");
      if (operator === "\n") readBodies(reader);
      if (operator.startsWith(";;")) reader.pattern = true;
      continue;
    }
    if (readPiece(reader, draft, end)) break;
  }
  finish(false);
  return script;
}

const operators = ["&&", "||", "|&", ";;&", ";;", ";&", ";", "|", "\n"];

function takeOperator(reader: Reader): string | undefined {
  const found = operators.find((operator) => takeIf(reader, operator));
  if (found !== undefined) return found;
  return looksAt(reader, "&") && !looksAt(reader, "&>") && takeIf(reader, "&") ? "&" : undefined;
}

function skipBlanks(reader: Reader): void {
  for (;;) {
    const char = peek(reader);
    if (char === "#") while (peek(reader) !== "" && peek(reader) !== "\n") take(reader);
    if (char === " " || char === "\t") take(reader);
    if (!" \t#".includes(char) && !takeIf(reader, "\\\n")) return;
    if (char === "") return;
  }
}

function endStage(draft: Draft): void {
  const { words, assigns, redirects, group } = draft;
  if (group !== undefined) draft.stages.push({ kind: "group", body: group, redirects });
  if (group === undefined && words.length + assigns.length + redirects.length > 0) {
    draft.stages.push({ kind: "simple", words, assigns, redirects } satisfies Simple);
  }
  Object.assign(draft, { words: [], assigns: [], redirects: [], group: undefined });
}

/** A redirect, a word or a group. True when it closed the list. */
function readPiece(reader: Reader, draft: Draft, end: string): boolean {
  if (peek(reader) === "(") {
    readBracket(reader, draft);
    return false;
  }
  const redirect = readRedirect(reader);
  if (redirect !== undefined) {
    draft.redirects.push(redirect);
    return false;
  }
  const before = reader.at;
  const word = readWord(reader, readList);
  if (reader.at === before) take(reader);
  if (word.length === 0) return false;
  const literal = literalOf(word);
  if (draft.words.length === 0 && literal !== undefined && readKeyword(reader, draft, literal, end)) {
    return literal === "}" && end === "}";
  }
  if (draft.words.length === 0 && readAssign(reader, draft, word)) return false;
  draft.words.push(word);
  const first = draft.words[0];
  if (literal === "in" && first !== undefined && literalOf(first) === "case") {
    reader.pattern = true;
    endStage(draft);
  }
  return false;
}

/** `( … )`, `(( … ))` or the `()` of a definition. */
function readBracket(reader: Reader, draft: Draft): void {
  take(reader);
  const name = draft.words.length === 1 ? literalOf(draft.words[0] ?? []) : undefined;
  skipBlanks(reader);
  if (name !== undefined && takeIf(reader, ")")) {
    draft.words = [];
    readDefinition(reader, draft, name);
    return;
  }
  if (draft.words.length > 0 && literalOf(draft.words[0] ?? []) !== "for") reader.broken = true;
  if (reader.pattern) return;
  const body = nested(reader, [], () => readList(reader, ")"));
  endStage(draft);
  draft.group = body;
}

function readDefinition(reader: Reader, draft: Draft, name: string): void {
  while (peek(reader) === "\n" || peek(reader) === " " || peek(reader) === "\t") take(reader);
  const close = takeIf(reader, "{") ? "}" : takeIf(reader, "(") ? ")" : undefined;
  if (close === undefined) return;
  const body = nested(reader, [], () => readList(reader, close));
  draft.stages.push({ kind: "function", name, body });
}

/** Words that steer a script but run nothing themselves: what follows them is a command of its own. */
const steering = new Set("if then else elif fi do done while until ! time coproc esac }".split(" "));

/** Takes a keyword that stands where a command begins. */
function readKeyword(reader: Reader, draft: Draft, word: string, end: string): boolean {
  if (word === "}" && end !== "}") return false;
  if (word === "esac") reader.pattern = false;
  if (word === "time") {
    skipBlanks(reader);
    takeIf(reader, "-p");
  }
  if (steering.has(word)) return true;
  if (word === "{") {
    draft.group = nested(reader, [], () => readList(reader, "}"));
    return true;
  }
  if (word === "function") {
    skipBlanks(reader);
    const name = literalOf(readWord(reader, readList)) ?? "";
    skipBlanks(reader);
    if (takeIf(reader, "(")) takeIf(reader, ")");
    readDefinition(reader, draft, name);
    return true;
  }
  if (word !== "[[") return false;
  readTest(reader, draft);
  return true;
}

/** Between `[[` and `]]` operators compare. */
function readTest(reader: Reader, draft: Draft): void {
  draft.words.push([{ kind: "text", text: "[[" }]);
  while (peek(reader) !== "") {
    skipBlanks(reader);
    const word = readWord(reader, readList);
    if (literalOf(word) === "]]") return;
    if (word.length === 0) take(reader);
    if (word.length > 0) draft.words.push(word);
  }
  reader.broken = true;
}

const assignment = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/;

/** `a=b` and `a=(b c)` before a command. */
function readAssign(reader: Reader, draft: Draft, word: Word): boolean {
  const [first, ...rest] = word;
  if (first?.kind !== "text") return false;
  const [match = "", name = ""] = assignment.exec(first.text) ?? [];
  if (match === "") return false;
  const value: Word = [{ kind: "text", text: first.text.slice(match.length) }, ...rest];
  const isArray = value.length === 1 && first.text.length === match.length && takeIf(reader, "(");
  draft.assigns.push({ name, value: isArray ? readArray(reader) : [value] });
  return true;
}

function readArray(reader: Reader): Word[] {
  const words: Word[] = [];
  while (peek(reader) !== "" && !takeIf(reader, ")")) {
    const word = readWord(reader, readList);
    if (word.length > 0) words.push(word);
    if (word.length === 0) take(reader);
  }
  return words;
}

const redirection = /\d{0,3}(?:&>>|&>|<<<|<<-|<<|<>|>>|>\||>&|<&|>|<)/y;

function readRedirect(reader: Reader): Redirect | undefined {
  if (!/^[\d<>&]$/.test(peek(reader)) || looksAt(reader, "<(") || looksAt(reader, ">(")) return undefined;
  redirection.lastIndex = reader.at;
  const [whole = ""] = redirection.exec(reader.text) ?? [];
  if (whole === "" || !takeIf(reader, whole)) return undefined;
  const op = whole.replace(/^\d+/, "");
  skipBlanks(reader);
  const redirect: Redirect = { op, target: readWord(reader, readList) };
  if (op === "<<" || op === "<<-") {
    const raw = redirect.target.map((part) => (part.kind === "text" ? part.text : "")).join("");
    const end = plain(raw);
    reader.awaited.push({ redirect, end, literal: raw !== end, tabs: op === "<<-" });
  }
  return redirect;
}

/** The lines of the here-documents that were announced. */
function readBodies(reader: Reader): void {
  for (const { redirect, end, literal, tabs } of reader.awaited.splice(0)) {
    const lines: string[] = [];
    let closed = false;
    while (!closed && peek(reader) !== "") {
      const line = takeLine(reader);
      closed = (tabs ? line.replace(/^\t+/, "") : line) === end;
      if (!closed) lines.push(line);
    }
    if (!closed) reader.broken = true;
    const body = lines.map((line) => `${line}\n`).join("");
    redirect.body = literal ? [{ kind: "text", text: quote(body) }] : readBody(reader, body);
  }
}

function readBody(reader: Reader, body: string): Word {
  const inner = newReader(body, reader.effort, reader.depth);
  return readQuoted(inner, readList, "");
}

function takeLine(reader: Reader): string {
  const line = takeRun(reader, /[^\n]+/y);
  take(reader);
  return line;
}

/** The word, when nothing in it is quoted or computed. */
function literalOf(word: Word): string | undefined {
  const [first] = word;
  if (word.length !== 1 || first?.kind !== "text") return undefined;
  return plain(first.text) === first.text ? first.text : undefined;
}
