import { z } from "zod";
import { delimited } from "../../core/text/delimited.ts";
import { type Tool, failed } from "../tool.ts";
import type { SearchService, WebHit } from "./search-services.ts";

export type WebSearchDeps = {
  /** Who searches, or why nobody can and what to do about it. */
  readonly service: SearchService | { readonly missing: string };
  /** Does one of the person's keys occur in the text? */
  readonly hasSecret: (text: string) => boolean;
};

const schema = z.object({
  query: z.string().trim().min(1).max(400).describe("What to search for"),
  limit: z.int().min(1).max(10).optional().describe("How many results (default 5)"),
});

export function webSearchTool({ service, hasSecret }: WebSearchDeps): Tool<typeof schema> {
  return {
    name: "web_search",
    toolset: "web",
    description:
      "Search the web. Gives title, address and a few words of each page that fits; read the pages themselves with web_extract.",
    schema,
    effect: "none",
    timeoutMs: 20_000,
    maxOutputChars: 20_000,
    unavailable: () => ("missing" in service ? service.missing : undefined),
    async run({ query, limit = 5 }, { signal, mask }) {
      if ("missing" in service) return failed(service.missing);
      if (hasSecret(query)) {
        return failed("The search holds a key or password of the person. Leave it out.");
      }
      const searched = await service.search(query, limit, signal);
      if (!searched.ok) return failed(searched.why);
      if (searched.hits.length === 0)
        return { ok: true, output: "Nothing was found. Try other or fewer words." };
      return {
        ok: true,
        output: delimited(
          `a search with ${service.name}`,
          searched.hits.map((hit, at) => hitText(hit, at, mask)).join("\n\n"),
        ),
      };
    },
  };
}

const hitText = ({ title, url, description }: WebHit, at: number, mask: (text: string) => string): string =>
  [`${at + 1}. ${mask(title).slice(0, 300)}`, url, mask(description).slice(0, 1000)]
    .filter(Boolean)
    .join("\n   ");
