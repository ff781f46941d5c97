import { z } from "zod";
import { type SearchService, hitsOf } from "./search-service.ts";
import { serviceRequest } from "./service-request.ts";

const text = z.string().catch("");
const answer = z.object({
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
        { service: "SearXNG", url: `${url}/search?${parameters}`, meanings },
        signal,
      );
      if ("why" in asked) return { ok: false, why: asked.why };
      const parsed = answer.safeParse(asked.json);
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

const meanings = {
  403: "It gives no JSON: add `json` to search.formats in its settings.yml.",
  429: "It limits how often it is asked: wait a little, or set `limiter: false` in its settings.yml.",
};

const silence = (engines: readonly (readonly unknown[])[]): string =>
  `SearXNG found nothing, and these of its engines did not answer: ${engines
    .map(([name, why]) => `${String(name)} (${String(why)})`)
    .join(", ")
    .slice(0, 300)}. Try again later.`;
