import type { PageText } from "./page-text.ts";

type Page = PageText & { readonly url: string };

/** Pages that were read a short while ago, by the address they were asked for. */
export type ReadPages = {
  get(url: string, now: number): Page | undefined;
  add(url: string, page: Page, now: number): void;
};

const limits = { pages: 20, chars: 8_000_000, ms: 30 * 60_000 } as const;

export function readPages(): ReadPages {
  const kept = new Map<string, { readonly page: Page; readonly at: number }>();
  return {
    get(url, now) {
      const found = kept.get(url);
      return found !== undefined && now - found.at <= limits.ms ? found.page : undefined;
    },
    add(url, page, now) {
      kept.delete(url);
      kept.set(url, { page, at: now });
      for (const oldest of kept.keys()) {
        if (kept.size <= limits.pages && sizeOf(kept.values()) <= limits.chars) return;
        kept.delete(oldest);
      }
    },
  };
}

const sizeOf = (pages: Iterable<{ readonly page: Page }>): number =>
  [...pages].reduce((sum, { page }) => sum + page.text.length, 0);
