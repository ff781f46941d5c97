import type { Clock } from "../../lib/clock.ts";
import type { Fetched } from "../net/guarded-fetch.ts";
import { pageInThread } from "./page-thread.ts";

export type PageText = { readonly title: string; readonly text: string; readonly notes: readonly string[] };

/** What a page says, by its type: the article of HTML, other text as it is. Rejects when the signal aborts. */
export async function pageText(
  fetched: Fetched & { readonly ok: true },
  clock: Clock,
  signal: AbortSignal,
): Promise<PageText | { readonly why: string }> {
  const text = decodedText(fetched.body, fetched.charset);
  if (text.includes("\0")) return { why: "it is not text." };
  if (!isHtml(fetched.type, text)) return { title: "", text: text.trim(), notes: fetched.notes };
  const { bare, ...page } = await pageInThread(text, fetched.url, clock, signal);
  const hard = "The page could not be taken apart; these are its bare words.";
  return { ...page, notes: bare ? [...fetched.notes, hard] : fetched.notes };
}

/** Why a body of this type is not worth loading, for the fetch. */
export function unreadableType(type: string): string | undefined {
  if (type === "application/pdf") {
    return "it is a PDF document, which cannot be read here. Look for the same as a web page, or fetch it with a command.";
  }
  if (type === "" || type.startsWith("text/") || readable.test(type)) return undefined;
  return `it is ${type.slice(0, 60)} and not text.`;
}

const readable =
  /^application\/(?:(?:.+\+)?(?:json|xml|yaml)|json5|jsonl|x-?ndjson|x-yaml|(?:x-)?javascript|toml|sql|markdown)$/;

const isHtml = (type: string, text: string): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)$/.test(type) ||
  (type === "" && /^\s*<(?:!doctype html|html|head|body)\b/i.test(text));

/** By its own mark, the header, what the page says of itself; else UTF-8. */
function decodedText(body: Uint8Array, charset?: string): string {
  const start = Buffer.from(body.subarray(0, 2048)).toString("latin1");
  const declared = /<meta[^>]{1,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(start)?.[1];
  const label = byteOrderMark(start) ?? charset ?? declared ?? "utf-8";
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function byteOrderMark(start: string): string | undefined {
  if (start.startsWith("\xff\xfe")) return "utf-16le";
  if (start.startsWith("\xfe\xff")) return "utf-16be";
  return start.startsWith("\xef\xbb\xbf") ? "utf-8" : undefined;
}
