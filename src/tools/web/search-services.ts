import { z } from "zod";
import { plainText } from "./plain-text.ts";
import { serviceRequest } from "./service-request.ts";

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
type ServiceSettings = { readonly url?: string; readonly key?: string };

/** Results as they came, in order: without those that name no page, and each page once. */
function hitsOf(
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

const text = z.string().catch("");
const describedResults = z.array(
  z.object({ title: text, url: text, description: text }).catch({ title: "", url: "", description: "" }),
);

const keyMeanings = (name: string) => ({
  401: `It does not accept the key: check ${name}.`,
  402: "The credit of this key is used up.",
  403: `It does not accept the key: check ${name}.`,
  429: "It was asked too often: wait a little, then search once and not several times together.",
});

/** Without a page that fits, there is no `web` at all. */
const braveAnswer = z.object({ web: z.object({ results: describedResults }).optional() });

/** Brave Search, with the person's key. */
export function brave({ url = "https://api.search.brave.com", key = "" }: ServiceSettings): SearchService {
  return {
    name: "Brave Search",
    async search(query, limit, signal) {
      const parameters = new URLSearchParams({
        q: query,
        count: String(limit),
        text_decorations: "false",
        result_filter: "web",
      });
      const asked = await serviceRequest(
        {
          service: "Brave Search",
          url: `${url}/res/v1/web/search?${parameters}`,
          headers: { "x-subscription-token": key },
          meanings: braveMeanings,
        },
        signal,
      );
      if ("why" in asked) return { ok: false, why: asked.why };
      const parsed = braveAnswer.safeParse(asked.json);
      if (!parsed.success)
        return { ok: false, why: "Brave Search answered without results. Try again later." };
      return hitsOf(parsed.data.web?.results ?? [], limit);
    },
  };
}

const braveMeanings = {
  ...keyMeanings("BRAVE_API_KEY"),
  422: "It does not accept the search or the key: try a shorter search, then check BRAVE_API_KEY.",
};

const firecrawlAnswer = z.object({ data: z.object({ web: describedResults.optional() }) });

/** Firecrawl: the service with the person's key, or an installation of their own. */
export function firecrawl({ url = "https://api.firecrawl.dev", key }: ServiceSettings): SearchService {
  return {
    name: "Firecrawl",
    async search(query, limit, signal) {
      const asked = await serviceRequest(
        {
          service: "Firecrawl",
          url: `${url}/v2/search`,
          headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
          body: { query, limit, sources: ["web"] },
          meanings: firecrawlMeanings,
        },
        signal,
      );
      if ("why" in asked) return { ok: false, why: asked.why };
      const parsed = firecrawlAnswer.safeParse(asked.json);
      if (!parsed.success) return { ok: false, why: "Firecrawl answered without results. Try again later." };
      return hitsOf(parsed.data.data.web ?? [], limit);
    },
  };
}

const firecrawlMeanings = {
  ...keyMeanings("FIRECRAWL_API_KEY"),
  408: "It took too long: try again.",
};

const searxngAnswer = z.object({
  results: z.array(
    z.object({ title: text, url: text, content: text }).catch({ title: "", url: "", content: "" }),
  ),
  unresponsive_engines: z.array(z.array(z.unknown())).catch([]).default([]),
});

/** A SearXNG of the person's own. */
export function searxng({ url }: { readonly url: string }): SearchService {
  return {
    name: "SearXNG",
    async search(query, limit, signal) {
      const parameters = new URLSearchParams({ q: query, format: "json" });
      const asked = await serviceRequest(
        { service: "SearXNG", url: `${url}/search?${parameters}`, meanings: searxngMeanings },
        signal,
      );
      if ("why" in asked) return { ok: false, why: asked.why };
      const parsed = searxngAnswer.safeParse(asked.json);
      if (!parsed.success)
        return { ok: false, why: "SearXNG answered without results. Check web.search.url." };
      const { results, unresponsive_engines: silent } = parsed.data;
      if (results.length === 0 && silent.length > 0) return { ok: false, why: silence(silent) };
      return hitsOf(
        results.map(({ content, ...result }) => ({ ...result, description: content })),
        limit,
      );
    },
  };
}

const searxngMeanings = {
  403: "It gives no JSON: add `json` to search.formats in its settings.yml.",
  429: "It limits how often it is asked: wait a little, or set `limiter: false` in its settings.yml.",
};

const silence = (engines: readonly (readonly unknown[])[]): string =>
  `SearXNG found nothing, and these of its engines did not answer: ${engines
    .map(([name, why]) => `${String(name)} (${String(why)})`)
    .join(", ")
    .slice(0, 300)}. Try again later.`;
