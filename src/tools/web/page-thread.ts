import type { Clock } from "../../lib/clock.ts";
import { ownProgram } from "../../lib/own-files.ts";
import { withinTime } from "../../lib/time-limit.ts";
import { inOwnThread } from "../own-thread.ts";
import type { Page } from "./page-markdown.ts";
import { plainText } from "./plain-text.ts";

export type Task = { readonly html: string; readonly url: string };

const longestMs = 15_000;

/**
 * The page as markdown, made in a thread of its own: a page can be built so that reading it takes minutes or all memory.
 * Then the bare words are given. Rejects when the signal aborts.
 */
export async function pageInThread(
  html: string,
  url: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Page & { readonly bare: boolean }> {
  const made = await withinTime(longestMs, clock, signal, (inner) =>
    inThread({ html, url }, inner).catch(() => undefined),
  );
  signal.throwIfAborted();
  if (made.end === "done" && made.value !== undefined) return { ...made.value, bare: false };
  return { ...strippedHtml(html), bare: true };
}

const inThread = (task: Task, signal: AbortSignal): Promise<Page> =>
  inOwnThread(
    ownProgram("./page.child.ts", import.meta.url),
    {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
      // What the libraries say about a page is for nobody.
      stdout: true,
      stderr: true,
    },
    (page: Page) => page,
    signal,
  );

/** The bare words of a page, in one pass whatever the page is like: for pages that a real reader cannot cope with. */
export function strippedHtml(html: string): Page {
  const small = html.toLowerCase();
  const words: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    words.push(html.slice(at, open === -1 ? undefined : open));
    if (open === -1) break;
    at = afterTag(small, open);
  }
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1] ?? "";
  return { title: plainText(title), text: words.map(plainText).filter(Boolean).join("\n") };
}

/** Behind the tag that begins there, and behind all that belongs to it where that is not for reading. */
function afterTag(small: string, open: number): number {
  if (small.startsWith("<!--", open)) return after(small, "-->", open);
  const name = unreadable.find((one) => small.startsWith(`<${one}`, open));
  return after(small, ">", name === undefined ? open : after(small, `</${name}`, open));
}

const unreadable = ["script", "style", "template", "noscript", "title"] as const;

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}
