import { plainText } from "./plain-text.ts";

export type WebHit = { readonly title: string; readonly url: string; readonly description: string };

/** `why` is a sentence for the model, with what to do next. */
export type Searched =
  | { readonly ok: true; readonly hits: readonly WebHit[] }
  | { readonly ok: false; readonly why: string };

/** Somebody who searches the web. Never rejects, unless the signal aborts. */
export type SearchService = {
  readonly name: string;
  search(query: string, limit: number, signal: AbortSignal): Promise<Searched>;
};

/** Where a service is and what it is asked with; undefined: what the service itself is known for. */
export type ServiceSettings = { readonly url?: string; readonly key?: string };

/** Results as they came, in order: without those that name no page, and each page once. */
export function hitsOf(
  results: readonly { readonly title: string; readonly url: string; readonly description: string }[],
  limit: number,
): Searched {
  const hits = new Map<string, WebHit>();
  for (const { title, url, description } of results) {
    const address = URL.parse(url);
    if (address === null || !/^https?:$/.test(address.protocol) || hits.has(address.href)) continue;
    hits.set(address.href, {
      url: address.href,
      title: plainText(title) || address.host,
      description: plainText(description),
    });
  }
  return { ok: true, hits: [...hits.values()].slice(0, limit) };
}
