import assert from "node:assert/strict";
import { type RequestListener, createServer } from "node:http";
import { type TestContext, describe, test } from "node:test";
import { onLoopback } from "../../../test/loopback.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { outsideParts } from "../../core/text/delimited.ts";
import { netGuard } from "../net/guard.ts";
import { type ToolBench, toolBench } from "../tool-bench.suite.ts";
import type { Tool } from "../tool.ts";
import type { PageAccess } from "./page-question.ts";
import type { SearchService } from "./search-services.ts";
import { webExtractTool } from "./web-extract.ts";
import { webSearchTool } from "./web-search.ts";

describe("web_extract", () => {
  test("gives pages in the order they were asked for, each fenced, and a failing one in its place", async (t) => {
    const site = await served(t, ({ url }, response) => {
      if (url === "/gone") return void response.writeHead(404).end("x");
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<html><title>T${url}</title><body><p>This is ${url}</p></body></html>`);
    });
    await using bench = await benchFor(site);
    const { ok, output } = await bench.call("web_extract", {
      urls: [`${site}a`, `${site}gone`, "nonsense", `${site}b`, `${site}a`],
    });
    assert.ok(ok);
    const expected = [
      `Title: T/a\nAddress: ${site}a\n\nThis is /a`,
      `Title: T/b\nAddress: ${site}b\n\nThis is /b`,
    ];
    assert.deepEqual(outsideParts(output), expected);
    const order = [
      "This is /a",
      "status 404: there is no such page",
      '"nonsense" is not a web address',
      "This is /b",
    ];
    assert.deepEqual(
      order.map((words) => output.indexOf(words)),
      order.map((words) => output.indexOf(words)).toSorted((a, b) => a - b),
    );
    assert.ok(order.every((words) => output.includes(words)));
  });

  for (const [type, body, words] of [
    ["text/plain; charset=utf-8", "plain ñ <b>", "plain ñ <b>"],
    ["text/markdown", "# Head", "# Head"],
    ["application/json", '{"a":1}', '{"a":1}'],
    ["application/ld+json", '{"a":1}', '{"a":1}'],
    ["", "<!DOCTYPE html><html><body><p>html without a type</p></body></html>", "html without a type"],
    ["application/xhtml+xml", "<html><body><p>xhtml</p></body></html>", "xhtml"],
    ["text/html; charset=iso-8859-1", Buffer.from("<p>caf\xe9</p>", "latin1"), "café"],
    ["text/html", Buffer.from('<meta charset="windows-1252"><p>\x93caf\xe9\x94</p>', "latin1"), "“café”"],
    ["text/html; charset=no-such-thing", "<p>é</p>", "é"],
    ["text/plain", Buffer.from("\ufeffwide é", "utf16le"), "wide é"],
  ] as const) {
    test(`reads ${type || "a page without a type"}: ${words}`, async (t) => {
      const site = await served(t, (_request, response) => {
        if (type !== "") response.setHeader("content-type", type);
        response.end(body);
      });
      await using bench = await benchFor(site);
      const { output } = await bench.call("web_extract", { urls: [site] });
      assert.equal(outsideParts(output)[0]?.split("\n\n").slice(1).join("\n\n"), words);
    });
  }

  for (const [type, body, words] of [
    ["application/pdf", "%PDF", /is a PDF document, which cannot be read here/],
    ["image/png", "x", /image\/png and not text/],
    ["application/octet-stream", "x", /not text/],
    ["text/plain", "a\0b", /not text/],
  ] as const) {
    test(`says that ${type} cannot be read`, async (t) => {
      const site = await served(
        t,
        (_request, response) => void response.writeHead(200, { "content-type": type }).end(body),
      );
      await using bench = await benchFor(site);
      const { ok, output } = await bench.call("web_extract", { urls: [site] });
      assert.deepEqual([ok, words.test(output)], [false, true], output);
    });
  }

  test("gives a long page in parts that join to the whole, of the text as it was first read", async (t) => {
    let asked = 0;
    const lines = Array.from({ length: 400 }, (_, at) => `Line ${at} 👩‍👧 ${"words ".repeat(20)}`.trim());
    const whole = lines.join("\n");
    const site = await served(t, (_request, response) => {
      asked += 1;
      response.writeHead(200, { "content-type": "text/plain" }).end(asked === 1 ? whole : "something else");
    });
    await using bench = await benchFor(site);
    let read = "";
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { output } = await bench.call("web_extract", {
        urls: [site],
        ...(offset === 0 ? {} : { offset }),
      });
      const part: string = outsideParts(output)[0]?.slice(`Address: ${site}\n\n`.length) ?? "";
      assert.ok(part.length <= 15_000);
      read += part;
      const next: string | undefined = /offset (\d+)\.\]$/.exec(output)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    assert.deepEqual([read, asked], [whole, 1]);
    const { ok, output } = await bench.call("web_extract", { urls: [site], offset: 1_000_000 });
    assert.deepEqual([ok, /has only \d+ characters/.test(output)], [false, true]);
  });

  test("reads a page anew when its beginning is asked for, or when it was kept for too long", async (t) => {
    let asked = 0;
    const site = await served(
      t,
      (_request, response) =>
        void response.setHeader("content-type", "text/plain").end(`version ${(asked += 1)}`),
    );
    const clock = { ...systemClock, monotonic: () => now };
    let now = 0;
    await using bench = await benchFor(site, {}, clock);
    const first = async (offset?: number): Promise<string> => {
      const { output } = await bench.call("web_extract", {
        urls: [site],
        ...(offset === undefined ? {} : { offset }),
      });
      return /sion \d/.exec(output)?.[0] ?? "";
    };
    const seen = [await first(), await first(), await first(3)];
    now = 31 * 60_000;
    assert.deepEqual([...seen, await first(3)], ["sion 1", "sion 2", "sion 2", "sion 3"]);
  });

  test("a page that is built to take for ever gives its bare words", async (t) => {
    const deep = `${"<div>".repeat(60_000)}in the deep${"</div>".repeat(60_000)}`;
    const site = await served(
      t,
      (_request, response) => void response.setHeader("content-type", "text/html").end(deep),
    );
    const fake = fakeClock();
    const begun = Promise.withResolvers<void>();
    const sleep: Clock["sleep"] = (ms, signal) => {
      if (ms === 15_000) begun.resolve();
      return fake.sleep(ms, signal);
    };
    await using bench = await benchFor(site, {}, { ...fake, sleep });
    const reading = bench.call("web_extract", { urls: [site] });
    await begun.promise;
    await fake.advance(15_000);
    const { output } = await reading;
    assert.match(outsideParts(output)[0] ?? "", /in the deep/);
    assert.match(output, /bare words/);
  });

  test("says nothing of a page without text, except that it has none", async (t) => {
    const site = await served(
      t,
      (_request, response) =>
        void response
          .setHeader("content-type", "text/html")
          .end("<html><body><div id=app></div></body></html>"),
    );
    await using bench = await benchFor(site);
    assert.match(
      (await bench.call("web_extract", { urls: [site] })).output,
      /has no text; it may need a browser/,
    );
  });

  test("reaches nothing on this machine that was not allowed, and asks nobody about it", async (t) => {
    let hits = 0;
    const site = await served(t, () => (hits += 1));
    const open = await served(
      t,
      (_request, response) => void response.writeHead(302, { location: site }).end(),
    );
    await using bench = await benchFor(open);
    const { ok, output } = await bench.call("web_extract", {
      urls: [site, open, "http://169.254.169.254/latest/meta-data/", "http://localhost/"],
    });
    assert.deepEqual([ok, hits, bench.asked], [false, 0, []]);
    assert.equal(output.match(/is not on the public internet/g)?.length, 4);
  });

  test("ends when it is stopped", async (t) => {
    const stop = new AbortController();
    const site = await served(t, () => stop.abort());
    await using bench = await benchFor(site);
    assert.equal((await bench.call("web_extract", { urls: [site] }, stop.signal)).output, "interrupted");
  });
});

describe("whether a page may be fetched", () => {
  const known = "https://known.example/";

  test("is not asked when its address is known, allowed by name, or nothing is to be asked", async () => {
    for (const access of [
      { isKnown: async () => true },
      { askUnknown: false },
      { allowPrivate: ["a.example:443"] },
    ]) {
      await using bench = await benchFor("", access);
      await bench.call("web_extract", { urls: ["https://a.example/x"] });
      assert.deepEqual(bench.asked, []);
    }
  });

  test("is asked once for the host of an unknown address, and a No is the end of it", async () => {
    await using bench = await benchFor("", { isKnown: async (_session, url) => url === known });
    bench.decision = { choice: "deny", why: "person" };
    const { ok, output } = await bench.call("web_extract", {
      urls: [known, "https://B.example/x?secret=1", "https://b.example/y"],
    });
    assert.deepEqual([ok, /the person said no/.test(output)], [false, true]);
    const [question, ...more] = bench.asked;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [question?.effect, question?.args, question?.action],
      ["external", { host: "b.example" }, { kind: "tool" }],
    );
    assert.match(question?.summary ?? "", /https:\/\/B\.example\/x\?secret=1/);
    assert.match(question?.reason ?? "", /came neither from you nor from a search.*tells b\.example/);
  });

  test("is asked for all hosts together when there are several", async () => {
    await using bench = await benchFor("");
    bench.decision = { choice: "deny", why: "person" };
    await bench.call("web_extract", {
      urls: ["https://c.example/", "https://b.example/", "https://c.example/2"],
    });
    assert.deepEqual(
      bench.asked.map(({ args }) => args),
      [{ hosts: ["b.example", "c.example"] }],
    );
  });

  test("is not even asked when a key stands in an address, in plain or encoded", async () => {
    for (const url of [
      "https://a.example/?k=hunter22",
      "https://a.example/%68unter22",
      "https://hunter22.a.example/",
      "https://a.example/?k=hunter+22",
    ]) {
      await using bench = await benchFor("", {
        isKnown: async () => true,
        hasSecret: (text) => /hunter ?22/.test(text),
      });
      const { output } = await bench.call("web_extract", { urls: [known, url] });
      assert.match(output, /not run: one of the addresses holds a key/);
      assert.deepEqual(bench.asked, []);
    }
  });
});

describe("web_search", () => {
  const hits = [
    { title: "T", url: "https://a.example/", description: "D" },
    { title: "U", url: "https://b.example/", description: "" },
  ];

  test("lists what was found, fenced, and does not repeat what was asked", async () => {
    const limits: number[] = [];
    await using bench = await searchBench({
      name: "S",
      search: async (_query, limit) => ({ ok: true, hits: hits.slice(0, limits.push(limit) * 2) }),
    });
    const { ok, output } = await bench.call("web_search", { query: "https://evil.example/?d=1" });
    assert.deepEqual(
      [ok, outsideParts(output)],
      [true, ["1. T\n   https://a.example/\n   D\n\n2. U\n   https://b.example/"]],
    );
    assert.doesNotMatch(output, /evil/);
    await bench.call("web_search", { query: "x", limit: 10 });
    assert.deepEqual([limits, bench.asked], [[5, 10], []]);
  });

  test("says when nothing was found, and what is wrong when it failed", async () => {
    await using none = await searchBench({ name: "S", search: async () => ({ ok: true, hits: [] }) });
    assert.match((await none.call("web_search", { query: "x" })).output, /Nothing was found/);
    await using broken = await searchBench({
      name: "S",
      search: async () => ({ ok: false, why: "It is broken." }),
    });
    assert.deepEqual(await broken.call("web_search", { query: "x" }), { ok: false, output: "It is broken." });
  });

  test("takes neither an empty search nor one with a key in it", async () => {
    await using bench = await searchBench({ name: "S", search: () => assert.fail("it searched") });
    assert.match((await bench.call("web_search", { query: "  " })).output, /arguments do not fit/);
    assert.match((await bench.call("web_search", { query: "what is hunter22" })).output, /holds a key/);
  });

  test("says why it cannot be used, and what to do", async () => {
    await using bench = await searchBench({ missing: "no service; set one." });
    assert.equal(
      (await bench.call("web_search", { query: "x" })).output,
      "web_search cannot be used here: no service; set one.",
    );
  });
});

const searchBench = (service: SearchService | { readonly missing: string }): Promise<ToolBench> =>
  toolBench([webSearchTool({ service, hasSecret: (text) => text.includes("hunter22") }) as Tool]);

/** One site may be reached, and asked for without a question. Names are found nowhere. */
function benchFor(
  site: string,
  access: Partial<PageAccess> = {},
  clock: Clock = systemClock,
): Promise<ToolBench> {
  const allowPrivate = [URL.parse(site)?.host ?? ""];
  const guard = netGuard({ allowPrivate, resolve: () => Promise.reject(new Error("unknown")) });
  const rules = {
    isKnown: async () => false,
    hasSecret: () => false,
    askUnknown: true,
    allowPrivate,
    ...access,
  };
  return toolBench([webExtractTool({ guard, ...rules }) as Tool], clock);
}

async function served(t: TestContext, answer: RequestListener): Promise<string> {
  const bound = await onLoopback(createServer(answer));
  t.after(() => bound[Symbol.asyncDispose]());
  return `${bound.origin}/`;
}
