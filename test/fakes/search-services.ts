import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { onLoopback } from "../loopback.ts";

export type FakeHit = { readonly title: string; readonly url: string; readonly description: string };
export type SearchKind = "searxng" | "brave" | "firecrawl";

/** What the service does with each search. `hang` tells when a search came in, and never answers it. */
export type SearchBehaviour =
  | { readonly hits: readonly FakeHit[] }
  | { readonly status: number; readonly location?: string }
  | { readonly body: string; readonly type?: string }
  | { readonly hang: () => void };

export type FakeSearch = AsyncDisposable & {
  readonly url: string;
  /** What was searched for, and how many were wanted where the service is told that. */
  readonly asked: readonly { readonly query: string; readonly count?: number }[];
};

/** The key that each service takes; SearXNG wants none. */
export const searchKeys = { searxng: undefined, brave: "BSA-key-4711", firecrawl: "fc-key-4711" } as const;

/** A search service on loopback: it answers what it would answer, and to its own requests only. */
export async function startSearchService(kind: SearchKind, behaviour: SearchBehaviour): Promise<FakeSearch> {
  const asked: { query: string; count?: number }[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const read = readers[kind](request, Buffer.concat(chunks).toString());
    if ("status" in read) return json(response, read.status, read.error);
    asked.push(read);
    if ("hang" in behaviour) return behaviour.hang();
    if ("body" in behaviour) {
      return void response
        .writeHead(200, { "content-type": behaviour.type ?? "text/html" })
        .end(behaviour.body);
    }
    if ("hits" in behaviour) return json(response, 200, answers[kind](read.query, behaviour.hits));
    if (behaviour.location !== undefined) response.setHeader("location", behaviour.location);
    json(response, behaviour.status, errors[kind](behaviour.status));
  }
  const bound = await onLoopback(server);
  return {
    url: bound.origin,
    asked,
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}

type Read =
  | { readonly query: string; readonly count?: number }
  | { readonly status: number; readonly error: unknown };

const readers: Readonly<Record<SearchKind, (request: IncomingMessage, body: string) => Read>> = {
  searxng({ url, method }) {
    const { pathname, searchParams } = new URL(url ?? "", "http://localhost");
    const fits = method === "GET" && pathname === "/search" && searchParams.get("format") === "json";
    return fits ? { query: searchParams.get("q") ?? "" } : { status: 404, error: {} };
  },
  brave({ url, method, headers }) {
    const { pathname, searchParams } = new URL(url ?? "", "http://localhost");
    if (method !== "GET" || pathname !== "/res/v1/web/search") return { status: 404, error: {} };
    if (headers["x-subscription-token"] !== searchKeys.brave)
      return { status: 422, error: errors.brave(422) };
    return { query: searchParams.get("q") ?? "", count: Number(searchParams.get("count")) };
  },
  firecrawl({ url, method, headers }, body) {
    if (method !== "POST" || url !== "/v2/search") return { status: 404, error: {} };
    if (headers.authorization !== `Bearer ${searchKeys.firecrawl}`) {
      return { status: 401, error: errors.firecrawl(401) };
    }
    const { query, limit } = JSON.parse(body) as { readonly query: string; readonly limit: number };
    return { query, count: limit };
  },
};

const answers: Readonly<Record<SearchKind, (query: string, hits: readonly FakeHit[]) => unknown>> = {
  searxng: (query, hits) => ({
    query,
    number_of_results: 0,
    results: hits.map(({ description, ...hit }) => ({
      ...hit,
      content: description,
      engine: "duckduckgo",
      score: 1,
    })),
    answers: [],
    suggestions: [],
    unresponsive_engines: [],
  }),
  brave: (query, hits) => ({
    type: "search",
    query: { original: query, more_results_available: true },
    ...(hits.length === 0
      ? {}
      : { web: { type: "search", results: hits.map((hit) => ({ ...hit, language: "en" })) } }),
  }),
  firecrawl: (_query, hits) => ({
    success: true,
    data: { web: hits.map((hit, at) => ({ ...hit, position: at + 1 })) },
    creditsUsed: 2,
  }),
};

const errors: Readonly<Record<SearchKind, (status: number) => unknown>> = {
  searxng: () => ({ error: "the words of the service" }),
  brave: (status) => ({
    type: "ErrorResponse",
    error: { id: "e1", status, code: "SOME_CODE", detail: "the words of the service" },
  }),
  firecrawl: () => ({ success: false, error: "the words of the service" }),
};

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
