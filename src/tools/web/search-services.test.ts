import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type FakeHit,
  type SearchBehaviour,
  type SearchKind,
  searchKeys,
  startSearchService,
} from "../../../test/fakes/search-services.ts";
import { type SearchService, type Searched, brave, firecrawl, searxng } from "./search-services.ts";

type Make = (url: string, key?: string) => SearchService;

const services: Readonly<Record<SearchKind, Make>> = {
  searxng: (url) => searxng({ url }),
  brave: (url, key = searchKeys.brave) => brave({ url, key }),
  firecrawl: (url, key = searchKeys.firecrawl) => firecrawl({ url, key }),
};

const open = new AbortController().signal;
const hit = (at: number): FakeHit => ({
  title: `T${at}`,
  url: `https://a.example/${at}`,
  description: `D${at}`,
});

for (const [kind, make] of Object.entries(services) as [SearchKind, Make][]) {
  const search = async (behaviour: SearchBehaviour, query = "q", limit = 5): Promise<Searched> => {
    await using service = await startSearchService(kind, behaviour);
    return await make(service.url).search(query, limit, open);
  };

  const why = async (behaviour: SearchBehaviour): Promise<string> => {
    const searched = await search(behaviour);
    if (searched.ok) assert.fail("it found something");
    return searched.why;
  };

  describe(`searching with ${kind}`, () => {
    test("gives title, address and words of each page, as many as wanted", async () => {
      const hits = [1, 2, 3, 4].map(hit);
      assert.deepEqual(await search({ hits }, "q", 3), { ok: true, hits: hits.slice(0, 3) });
    });

    test("asks in the service's own way, whatever the words", async () => {
      await using service = await startSearchService(kind, { hits: [] });
      const query = 'ünïcode "quoted" 漢字 & a=b #c? 100% + 👩‍👧';
      assert.deepEqual(await make(service.url).search(query, 7, open), { ok: true, hits: [] });
      const [asked] = service.asked;
      assert.equal(asked?.query, query);
      assert.equal(asked.count ?? 7, 7);
    });

    test("gives words without marks of HTML, on one line", async () => {
      const rough = {
        title: "A <strong>b</strong> &amp; c&#x27;s &#39;d&#39;\n e",
        url: "https://a.example/",
        description: "1 < 2 &lt;b&gt; é 漢",
      };
      assert.deepEqual(await search({ hits: [rough] }), {
        ok: true,
        hits: [{ title: "A b & c's 'd' e", url: "https://a.example/", description: "1 < 2 <b> é 漢" }],
      });
    });

    test("leaves out what is no page, and gives each page once", async () => {
      const hits = [
        { ...hit(1), url: "javascript:alert(1)" },
        { ...hit(2), url: "" },
        hit(3),
        { ...hit(4), url: "https://A.example/3" },
        { title: "", url: "https://b.example/", description: "" },
        { title: 5, url: "https://c.example/", description: null } as unknown as FakeHit,
      ];
      assert.deepEqual(await search({ hits }), {
        ok: true,
        hits: [
          hit(3),
          { title: "b.example", url: "https://b.example/", description: "" },
          { title: "c.example", url: "https://c.example/", description: "" },
        ],
      });
    });

    for (const status of [401, 402, 403, 429, 500, 503]) {
      test(`says what status ${status} means and what the service says`, async () => {
        const said = await why({ status });
        assert.match(
          said,
          new RegExp(`answered with status ${status}\\. [A-Z].*[.:] It says: the words of the service$`),
        );
        if (status >= 500) assert.match(said, /try again later/);
        if (status === 429) assert.match(said, /wait a little/);
      });
    }

    test("does not follow a redirect, and names where it leads", async () => {
      await using other = await startSearchService(kind, { hits: [hit(1)] });
      const location = `${other.url}/elsewhere`;
      assert.match(
        await why({ status: 302, location }),
        new RegExp(`${location}\\). If that is right, set web.search.url`),
      );
      assert.deepEqual(other.asked, []);
    });

    for (const body of [
      "<html><body>Please log in</body></html>",
      "",
      '{"results": [',
      "[]",
      "null",
      '{"other": 1}',
      '{"results": 5, "web": 5, "data": 5}',
    ]) {
      test(`notices an answer that is none: ${JSON.stringify(body)}`, async () => {
        const searched = await search({ body });
        const nothing = kind === "brave" && body === '{"other": 1}';
        if (nothing) return assert.deepEqual(searched, { ok: true, hits: [] });
        assert.match(await why({ body }), /did not answer with search results|answered without results/);
      });
    }

    test("does not read without end", async () => {
      assert.match(await why({ body: " ".repeat(3_000_000) }), /more than 2 MiB/);
    });

    test("says when nobody is there", async () => {
      const service = await startSearchService(kind, { hits: [] });
      await service[Symbol.asyncDispose]();
      const searched = await make(service.url).search("q", 5, open);
      assert.match(searched.ok ? "" : searched.why, /could not be reached \(ECONNREFUSED\)/);
    });

    test("ends when it is stopped while the service is silent", async () => {
      const stop = new AbortController();
      await using service = await startSearchService(kind, { hang: () => stop.abort(new Error("stopped")) });
      await assert.rejects(make(service.url).search("q", 5, stop.signal), /stopped/);
    });
  });
}

for (const kind of ["brave", "firecrawl"] as const) {
  test(`${kind} says which key is wrong`, async () => {
    await using service = await startSearchService(kind, { hits: [hit(1)] });
    const searched = await services[kind](service.url, "wrong").search("q", 5, open);
    assert.match(searched.ok ? "" : searched.why, /key.*check (?:BRAVE|FIRECRAWL)_API_KEY/);
  });
}

test("SearXNG without JSON says what to change, and silent engines are named", async () => {
  await using service = await startSearchService("searxng", { status: 403 });
  const searched = await services.searxng(service.url).search("q", 5, open);
  assert.match(searched.ok ? "" : searched.why, /add `json` to search\.formats/);
  const body = JSON.stringify({
    results: [],
    unresponsive_engines: [
      ["google", "CAPTCHA"],
      ["bing", "timeout"],
    ],
  });
  await using silent = await startSearchService("searxng", { body });
  const none = await services.searxng(silent.url).search("q", 5, open);
  assert.match(none.ok ? "" : none.why, /google \(CAPTCHA\), bing \(timeout\)/);
});
