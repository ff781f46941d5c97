import { isNode, isPair, isScalar, visit } from "yaml";
import type { Document, YAMLParseError } from "yaml";
import { keyText } from "./key-path.ts";

export type SyntaxProblem = { readonly offset: number; readonly key?: string; readonly message: string };

/** Only the first one: later errors mostly follow from it. */
export function firstError(document: Document): SyntaxProblem | undefined {
  const [error] = document.errors;
  if (error === undefined) return undefined;
  const [offset] = error.pos;
  if (error.code === "MULTIPLE_DOCS") return { offset, message: explain(error) };
  // A second key is itself what is wrong; any other error belongs to the key before it.
  const culprit = lastPair(document, error.code === "DUPLICATE_KEY" ? offset : offset - 1);
  const isQuote = error.code === "MISSING_CHAR" && error.message.includes("quote");
  return {
    // An open quote is noticed at the end of the file, but has to be closed near where it began.
    offset: isQuote ? (culprit?.valueStart ?? offset) : offset,
    ...(culprit === undefined ? {} : { key: culprit.key }),
    message: explain(error),
  };
}

/** The parser accepts an alias without an anchor, but it has no value. */
export function missingAnchor(document: Document): SyntaxProblem | undefined {
  let missing: SyntaxProblem | undefined;
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      const offset = alias.range?.[0] ?? 0;
      const culprit = lastPair(document, offset);
      const message = `expected an anchor &${alias.source} above it, got none`;
      missing = { offset, ...(culprit === undefined ? {} : { key: culprit.key }), message };
      return visit.BREAK;
    },
  });
  return missing;
}

/** The last key that begins at or before an offset. */
function lastPair(document: Document, offset: number) {
  let found: { readonly key: string; readonly valueStart: number } | undefined;
  visit(document, {
    Pair(_index, pair, ancestors) {
      const start = isNode(pair.key) ? pair.key.range?.[0] : undefined;
      if (start === undefined || start > offset) return;
      const names = [...ancestors, pair]
        .filter(isPair)
        .map(({ key }) => (isScalar(key) ? String(key.value) : "?"));
      const valueStart = isNode(pair.value) ? pair.value.range?.[0] : undefined;
      found = { key: keyText(names), valueStart: valueStart ?? start };
    },
  });
  return found;
}

function explain({ code, message }: YAMLParseError): string {
  if (code === "DUPLICATE_KEY") return "expected each key once, got it a second time in the same map";
  if (code === "MULTIPLE_DOCS") return "expected one document, got a second one after `---`";
  if (code === "TAB_AS_INDENT") return "expected spaces as indentation, got a tab";
  if (code === "BLOCK_AS_IMPLICIT_KEY" || code === "MULTILINE_IMPLICIT_KEY") {
    return "expected one value, got further keys; check the indentation, or put text with `: ` in quotes";
  }
  // The parser quotes what it stumbled over, and that may be a secret.
  return `expected YAML, got: ${message.replace(/: ".*$/s, "")}`;
}

/** What a value is, in a person's words; never the value itself. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "string") return value === "" ? "empty text" : "text";
  return typeof value === "number" ? "a number" : "true or false";
}
