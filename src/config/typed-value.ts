import { isCollection, isScalar, parseDocument } from "yaml";
import type { Json } from "../core/json.ts";

/** What a person typed for a value: a YAML scalar or flow collection, or else the text as it is. */
export function readValue(typed: string): Json {
  const document = parseDocument(typed, { prettyErrors: false, logLevel: "error" });
  const node = document.contents;
  const isFlow = isCollection(node) && node.flow === true;
  const isWord = isScalar(node) && (isQuoted(node.type) || (node.type === "PLAIN" && !typed.includes("\n")));
  if (!(isFlow || isWord) || document.errors.length > 0 || document.warnings.length > 0) return typed;
  // What YAML would swallow (a comment, an anchor, a tag) was meant as text.
  const swallowed = [
    document.commentBefore,
    document.comment,
    node.commentBefore,
    node.comment,
    node.anchor,
    node.tag,
  ];
  if (swallowed.some((part) => part)) return typed;
  try {
    return node.toJS(document) as Json;
  } catch {
    return typed;
  }
}

const isQuoted = (type: string | null | undefined): boolean =>
  type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
