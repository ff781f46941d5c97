import type { Loaded } from "../../config/config.ts";
import type { Redactor } from "../../lib/redact/redact.ts";
import { netGuard } from "../../tools/net/guard.ts";
import type { Tool } from "../../tools/tool.ts";
import type { PageAccess } from "../../tools/web/page-question.ts";
import type { SearchService } from "../../tools/web/search-services.ts";
import type { SessionAddresses } from "./known-addresses.ts";

type Needs = {
  readonly loaded: Pick<Loaded, "config" | "secret">;
  readonly addresses: Pick<SessionAddresses, "isKnown">;
  readonly redact: Redactor;
};

/** The tools that search the web and read its pages. */
export async function webTools(needs: Needs): Promise<readonly Tool[]> {
  const { loaded, redact } = needs;
  const [{ webSearchTool }, { webExtractTool }, service] = await Promise.all([
    import("../../tools/web/web-search.ts"),
    import("../../tools/web/web-extract.ts"),
    searchService(loaded),
  ]);
  const { allowPrivate } = loaded.config.web;
  const search = webSearchTool({ service, hasSecret: redact.holds });
  const extract = webExtractTool({ ...pageAccess(needs), guard: netGuard({ allowPrivate }) });
  return [search, extract] as readonly Tool[];
}

/** Which pages may be fetched without a question, by the settings and by what was said in a session. */
export function pageAccess({ loaded, addresses, redact }: Needs): PageAccess {
  const { askUnknown, allowPrivate } = loaded.config.web;
  return { isKnown: addresses.isKnown, hasSecret: redact.holds, askUnknown, allowPrivate };
}

type Service = SearchService | { readonly missing: string };

async function searchService({ config, secret }: Needs["loaded"]): Promise<Service> {
  const { backend, url } = config.web.search;
  if (backend === undefined) return { missing: nobody };
  return services[backend](url === undefined ? {} : { url: url.replace(/\/+$/, "") }, secret);
}

type MakeService = (address: { readonly url?: string }, secret: Loaded["secret"]) => Promise<Service>;

const services: Readonly<Record<"searxng" | "brave" | "firecrawl", MakeService>> = {
  async searxng({ url }) {
    if (url === undefined) return { missing: noAddress };
    return (await import("../../tools/web/search-services.ts")).searxng({ url });
  },
  async brave(address, secret) {
    const key = secret("BRAVE_API_KEY");
    if (key === undefined) return { missing: noKey("Brave Search", "BRAVE_API_KEY") };
    return (await import("../../tools/web/search-services.ts")).brave({ ...address, key });
  },
  /** An installation of one's own may do without a key. */
  async firecrawl(address, secret) {
    const key = secret("FIRECRAWL_API_KEY");
    if (key === undefined && address.url === undefined) {
      return { missing: noKey("Firecrawl", "FIRECRAWL_API_KEY") };
    }
    const { firecrawl } = await import("../../tools/web/search-services.ts");
    return firecrawl({ ...address, ...(key === undefined ? {} : { key }) });
  },
};

const nobody =
  "no search service is chosen; set web.search.backend in config.yaml to searxng (with web.search.url), brave or firecrawl.";

const noAddress = "the address of SearXNG is missing; set web.search.url in config.yaml.";

const noKey = (service: string, name: string): string =>
  `the key for ${service} is missing; put ${name} into the environment or into .env.`;
