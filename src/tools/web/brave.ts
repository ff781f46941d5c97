import { z } from "zod";
import { type SearchService, type ServiceSettings, hitsOf } from "./search-service.ts";
import { serviceRequest } from "./service-request.ts";

const text = z.string().catch("");
const results = z.array(
  z.object({ title: text, url: text, description: text }).catch({ title: "", url: "", description: "" }),
);
/** Without a page that fits, there is no `web` at all. */
const answer = z.object({ web: z.object({ results }).optional() });

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
          meanings,
        },
        signal,
      );
      if ("why" in asked) return { ok: false, why: asked.why };
      const parsed = answer.safeParse(asked.json);
      if (!parsed.success)
        return { ok: false, why: "Brave Search answered without results. Try again later." };
      return hitsOf(parsed.data.web?.results ?? [], limit);
    },
  };
}

const badKey = "It does not accept the key: check BRAVE_API_KEY.";
const meanings = {
  401: badKey,
  402: "The credit of this key is used up.",
  403: badKey,
  422: "It does not accept the search or the key: try a shorter search, then check BRAVE_API_KEY.",
  429: "It was asked too often: wait a little, then search once and not several times together.",
};
