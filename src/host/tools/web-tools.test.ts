import assert from "node:assert/strict";
import { type TestContext, describe, test } from "node:test";
import { searchKeys, startSearchService } from "../../../test/fakes/search-services.ts";
import { tempHome } from "../../config/temp-home.suite.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { whyUnavailable } from "../../tools/registry.ts";
import { toolBench } from "../../tools/tool-bench.suite.ts";
import type { Tool } from "../../tools/tool.ts";
import { pageAccess, webTools } from "./web-tools.ts";

const addresses = { isKnown: async () => false };

const needs = async (t: TestContext, config: string, env = {}) => {
  const loaded = await (await tempHome(t, { config })).load({ env });
  return { loaded, addresses, redact: redactor(loaded.secrets) };
};

const toolsOf = async (t: TestContext, config: string, env = {}): Promise<readonly Tool[]> =>
  webTools(await needs(t, config, env));

describe("web tools by the settings", () => {
  for (const [config, words] of [
    ["", /no search service is chosen; set web\.search\.backend/],
    ["web: { search: { backend: searxng } }", /set web\.search\.url/],
    ["web: { search: { backend: brave } }", /put BRAVE_API_KEY into the environment or into \.env/],
    ["web: { search: { backend: firecrawl } }", /put FIRECRAWL_API_KEY/],
  ] as const) {
    test(`say what is missing to search: ${config || "nothing is set"}`, async (t) => {
      const [search, extract] = await toolsOf(t, config);
      assert.match(whyUnavailable(search as Tool) ?? "", words);
      assert.equal(whyUnavailable(extract as Tool), undefined);
    });
  }

  for (const kind of ["searxng", "brave", "firecrawl"] as const) {
    test(`search with ${kind} where the person put it, with its key from the environment`, async (t) => {
      const hit = { title: "T", url: "https://a.example/", description: "D" };
      await using service = await startSearchService(kind, { hits: [hit] });
      const config = `web: { search: { backend: ${kind}, url: "${service.url}/" } }`;
      const env = { BRAVE_API_KEY: searchKeys.brave, FIRECRAWL_API_KEY: ` ${searchKeys.firecrawl}\n` };
      await using bench = await toolBench(await toolsOf(t, config, env));
      const { ok, output } = await bench.call("web_search", { query: "x" });
      assert.deepEqual([ok, /1\. T\n {3}https:\/\/a\.example\/\n {3}D/.test(output)], [true, true], output);
    });
  }

  test("ask Firecrawl of the person's own without a key", async (t) => {
    const [search] = await toolsOf(t, "web: { search: { backend: firecrawl, url: http://127.0.0.1:3002 } }");
    assert.equal(whyUnavailable(search as Tool), undefined);
  });

  test("tell nobody a key, neither in an address nor in a search", async (t) => {
    const given = await needs(t, "web: { ask_unknown: false }", { BRAVE_API_KEY: "BSA/secret=key" });
    const { hasSecret, askUnknown } = pageAccess(given);
    assert.equal(askUnknown, false);
    assert.ok(hasSecret("https://a.example/?q=BSA/secret=key"));
    assert.ok(hasSecret(`https://a.example/${Buffer.from("xBSA/secret=key").toString("base64url")}`));
    assert.ok(!hasSecret("https://a.example/?api_key=of-somebody-else"));
    await using bench = await toolBench(await webTools(given));
    const { output } = await bench.call("web_extract", { urls: ["https://a.example/?q=BSA%2fsecret%3Dkey"] });
    assert.match(output, /holds a key or password/);
  });
});
