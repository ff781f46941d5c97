import { isPlainObject } from "../core/json.ts";
import { fieldsOf, textOf } from "./wire.ts";

/** A provider's own words about an error, wherever in the body it put them. Empty strings where it said nothing. */
export type ProviderError = {
  readonly code: string;
  readonly type: string;
  readonly message: string;
  /** Some providers put the HTTP status into the code. */
  readonly status?: number;
};

/** From a body as text, a parsed body, or the error object itself. */
export function readError(source: unknown): ProviderError {
  if (typeof source === "string") return readText(source);
  if (Array.isArray(source)) return readError(source[0] ?? "");
  const outer = fieldsOf(source);
  if (typeof outer["error"] === "string") return { code: "", type: "", message: outer["error"] };
  const error = isPlainObject(outer["error"]) ? outer["error"] : outer;
  const { code, type } = error;
  return {
    code: typeof code === "number" ? "" : textOf(code),
    type: textOf(type),
    message: textOf(error["message"]) || textOf(error["detail"]) || textOf(outer["detail"]),
    ...(typeof code === "number" ? { status: code } : {}),
  };
}

function readText(body: string): ProviderError {
  const parsed = parse(body);
  if (isPlainObject(parsed) || Array.isArray(parsed)) return readError(parsed);
  return { code: "", type: "", message: isHtml(body) ? pageWords(body) : oneLine(body) };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const isHtml = (body: string): boolean => /^\s*<(?:!doctype|html|head|body)\b/i.test(body);

function pageWords(body: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1] ?? "";
  return title.trim() === "" ? "a web page" : `a web page titled “${oneLine(title)}”`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
