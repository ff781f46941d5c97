import { fieldsOf, isPlainObject, parsedJson } from "../core/json.ts";
import { oneLine } from "../core/plain-text.ts";
import { textOf } from "./wire.ts";

/** A provider's own words about an error, wherever in the body it put them. Empty strings where it said nothing. */
export type ProviderError = {
  readonly code: string;
  readonly type: string;
  readonly message: string;
  /** Which part of the request it is about. */
  readonly param: string;
  /** Some providers put the HTTP status into the code. */
  readonly status?: number;
};

/** From a body as text, a parsed body, or the error object itself. */
export function readError(source: unknown): ProviderError {
  if (typeof source === "string") return readText(source);
  if (Array.isArray(source)) return readError(source[0] ?? "");
  const outer = fieldsOf(source);
  const error = isPlainObject(outer["error"]) ? outer["error"] : outer;
  const status = [error["code"], error["status"], outer["status"]].map(statusOf).find(Boolean);
  return {
    code: statusOf(error["code"]) === undefined ? textOf(error["code"]) : "",
    type: textOf(error["type"]),
    message: textOf(error["message"]) || textOf(outer["error"]) || textOf(error["detail"] ?? outer["detail"]),
    param: textOf(error["param"]),
    ...(status === undefined ? {} : { status }),
  };
}

function statusOf(value: unknown): number | undefined {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && status >= 100 && status < 600 ? status : undefined;
}

function readText(body: string): ProviderError {
  const parsed = parsedJson(body);
  if (isPlainObject(parsed) || Array.isArray(parsed)) return readError(parsed);
  return { code: "", type: "", param: "", message: isHtml(body) ? pageWords(body) : oneLine(body) };
}

const isHtml = (body: string): boolean => /^\s*<(?:!doctype|html|head|body)\b/i.test(body);

function pageWords(body: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1] ?? "";
  return title.trim() === "" ? "a web page" : `a web page titled “${oneLine(title)}”`;
}
