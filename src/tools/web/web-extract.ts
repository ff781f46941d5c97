import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { cutEnd } from "../cut-middle.ts";
import { delimited } from "../../core/text/delimited.ts";
import type { NetGuard } from "../net/guard.ts";
import { guardedFetch } from "../net/guarded-fetch.ts";
import type { Tool } from "../tool.ts";
import { type PageAccess, pageQuestion } from "./page-question.ts";
import { type PageText, pageText, unreadableType } from "./page-text.ts";

export type WebExtractDeps = PageAccess & { readonly guard: NetGuard };

const maxPages = 5;
const maxChars = 15_000;

const schema = z.object({
  urls: z
    .array(z.string().min(1).max(4000))
    .min(1)
    .max(maxPages)
    .describe("Addresses of the pages, http or https"),
  offset: z
    .int()
    .min(0)
    .max(10_000_000)
    .optional()
    .describe("Read on in a long page: first character to give (default 0)"),
});

export function webExtractTool(deps: WebExtractDeps): Tool<typeof schema> {
  const earlier = readPages();
  return {
    name: "web_extract",
    toolset: "web",
    description:
      `Read up to ${maxPages} web pages as markdown: articles, documentation, plain text, JSON. ` +
      `Of each page ${maxChars} characters are given; read on with offset.`,
    schema,
    effect: "external",
    timeoutMs: 45_000,
    maxOutputChars: maxPages * (maxChars + 3000),
    asks: ({ urls }, context) => pageQuestion("web_extract", urls, deps, context),
    async run({ urls, offset = 0 }, { clock, signal, mask }) {
      const different = [...new Set(urls)];
      const pages = await Promise.all(
        different.map(async (url) => {
          const page = await readPage(url, offset > 0, { ...deps, earlier, clock, signal });
          return "why" in page
            ? { ok: false, text: `${url.slice(0, 300)} was not read: ${page.why}` }
            : piece({ ...page, title: mask(page.title), text: mask(page.text) }, offset);
        }),
      );
      return { ok: pages.some(({ ok }) => ok), output: pages.map(({ text }) => text).join("\n\n") };
    },
  };
}

type Reading = WebExtractDeps & {
  readonly earlier: ReadPages;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};
type ReadPage = PageText & { readonly url: string };

/** Who reads on gets the text that was begun, even if the page has changed. */
async function readPage(
  url: string,
  goesOn: boolean,
  { guard, earlier, clock, signal }: Reading,
): Promise<ReadPage | { readonly why: string }> {
  const known = goesOn ? earlier.get(url, clock.monotonic()) : undefined;
  if (known !== undefined) return known;
  const fetched = await guardedFetch(url, { guard, clock, signal, accept, unwanted: unreadableType });
  if (!fetched.ok) return fetched;
  if (fetched.status < 200 || fetched.status > 299) {
    return { why: `the server answered with status ${fetched.status}${statusWords[fetched.status] ?? "."}` };
  }
  const text = await pageText(fetched, clock, signal);
  if ("why" in text) return text;
  const page = { ...text, url: fetched.url };
  earlier.add(url, page, clock.monotonic());
  return page;
}

const accept = "text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5";

const statusWords: Readonly<Record<number, string>> = {
  401: ": it wants a login, which web_extract does not have.",
  403: ": it does not let this program in. Try another page.",
  404: ": there is no such page. Check the address, or search for it.",
  410: ": the page was taken away.",
  429: ": it was asked too often. Wait, or try another page.",
  451: ": the page is blocked for legal reasons.",
};

function piece(
  { title, url, text, notes }: ReadPage,
  offset: number,
): { readonly ok: boolean; readonly text: string } {
  if (text === "") return { ok: true, text: `${url.slice(0, 300)} has no text; it may need a browser.` };
  if (offset >= text.length) {
    return {
      ok: false,
      text: `${url.slice(0, 300)} has only ${text.length} characters, so there is nothing at ${offset}.`,
    };
  }
  const shown = firstPart(text.slice(offset));
  const end = offset + shown.length;
  const head = [...(title === "" ? [] : [`Title: ${title.slice(0, 300)}`]), `Address: ${url}`];
  const rest = `Characters ${offset} to ${end} of ${text.length}. To read on, call web_extract with only this address and offset ${end}.`;
  const remarks = [...notes, ...(end < text.length ? [rest] : [])].map((note) => `[${note}]`);
  return { ok: true, text: [delimited(url, [...head, "", shown].join("\n")), ...remarks].join("\n") };
}

/** Ends at the end of a line, unless that is far away. */
function firstPart(text: string): string {
  const part = cutEnd(text, maxChars);
  const line = part.length < text.length ? part.lastIndexOf("\n") + 1 : 0;
  return line > maxChars - 1000 ? part.slice(0, line) : part;
}

/** Pages that were read a short while ago, by the address they were asked for. */
type ReadPages = {
  get(url: string, now: number): ReadPage | undefined;
  add(url: string, page: ReadPage, now: number): void;
};

const limits = { pages: 20, chars: 8_000_000, ms: 30 * 60_000 } as const;

function readPages(): ReadPages {
  const earlier = new Map<string, { readonly page: ReadPage; readonly at: number }>();
  return {
    get(url, now) {
      const found = earlier.get(url);
      return found !== undefined && now - found.at <= limits.ms ? found.page : undefined;
    },
    add(url, page, now) {
      earlier.delete(url);
      earlier.set(url, { page, at: now });
      for (const oldest of earlier.keys()) {
        if (earlier.size <= limits.pages && sizeOf(earlier.values()) <= limits.chars) return;
        earlier.delete(oldest);
      }
    },
  };
}

const sizeOf = (pages: Iterable<{ readonly page: ReadPage }>): number =>
  [...pages].reduce((sum, { page }) => sum + page.text.length, 0);
