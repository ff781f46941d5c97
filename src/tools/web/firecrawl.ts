import { z } from "zod";
import { type SearchService, type ServiceSettings, hitsOf } from "./search-service.ts";
import { serviceRequest } from "./service-request.ts";

const text = z.string().catch("");
const results = z.array(
  z.object({ title: text, url: text, description: text }).catch({ title: "", url: "", description: "" }),
);
const answer = z.object({ data: z.object({ web: results.optional() }) });

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
          meanings,
        },
        signal,
      );
      if ("why" in asked) return { ok: false, why: asked.why };
      const parsed = answer.safeParse(asked.json);
      if (!parsed.success) return { ok: false, why: "Firecrawl answered without results. Try again later." };
      return hitsOf(parsed.data.data.web ?? [], limit);
    },
  };
}

const badKey = "It does not accept the key: check FIRECRAWL_API_KEY.";
const meanings = {
  401: badKey,
  402: "The credit of this key is used up.",
  403: badKey,
  408: "It took too long: try again.",
  429: "It was asked too often: wait a little, then search once and not several times together.",
};
