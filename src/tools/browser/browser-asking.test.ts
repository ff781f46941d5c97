import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { NetGuard } from "../net/guard.ts";
import type { PageAccess } from "../web/page-question.ts";
import {
  type BrowserBench,
  type Site,
  browserBench,
  needsChromium,
  pages,
  refOf,
  startSite,
} from "./browser-world.suite.ts";

describe("what the person is asked", { ...needsChromium, timeout: 120_000 }, () => {
  let site: Site;
  let other: Site;
  let bench: BrowserBench;
  let isKnown = true;
  let mayLeave = false;
  let origin = "";
  let host = "";
  let otherHost = "";
  before(async () => {
    other = await startSite(
      pages({
        "/": `<title>Other</title><button onclick="fetch('/pressed')">Inner</button>`,
        "/pressed": "",
      }),
    );
    otherHost = other.place.replace("127.0.0.1", "other.example");
    site = await startSite(
      pages({
        "/": `<title>Site</title><input aria-label="Name"><button onclick="fetch('/pressed')">Outer</button>
          <iframe src="http://${otherHost}/"></iframe>`,
        "/leaving": `<title>Leaving</title><button>Go</button><script>setInterval(async () => {
          if ((await fetch("/may-leave")).ok) location.href = "http://${otherHost}/";
        }, 50)</script>`,
        "/may-leave": (_, answer) => void answer.writeHead(mayLeave ? 200 : 404).end(),
        "/pressed": "",
      }),
    );
    host = site.place.replace("127.0.0.1", "site.example");
    origin = `http://${host}`;
    const access: PageAccess = {
      isKnown: async () => isKnown,
      hasSecret: (text) => text.includes("sk-secret"),
      askUnknown: true,
      allowPrivate: [],
    };
    const guard: NetGuard = { check: async () => ({ address: "127.0.0.1", family: 4, others: [] }) };
    bench = await browserBench({ allowed: [], guard, access });
  });
  after(async () => {
    await bench[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  const deny = async (work: () => Promise<void>): Promise<void> => {
    bench.decision = { choice: "deny", why: "person" };
    await work().finally(() => (bench.decision = { choice: "once", why: "person" }));
  };
  const open = async (path = "/"): Promise<string> => {
    isKnown = true;
    const { output } = await bench.call("browser_navigate", { url: `${origin}${path}` });
    bench.asked.length = 0;
    return output;
  };

  test("an address that nobody named is asked about by its host, and not opened after a No", async () => {
    isKnown = false;
    bench.asked.length = 0;
    await deny(async () => {
      const { ok, output } = await bench.call("browser_navigate", { url: `${origin}/made-up?a=1` });
      assert.equal(ok, false);
      assert.match(output, /the person said no/);
    });
    assert.deepEqual(site.hits, []);
    const [question] = bench.asked;
    assert.deepEqual(question?.args, { host });
    assert.equal(question?.effect, "external");
    assert.match(question?.summary ?? "", /made-up\?a=1/);
    isKnown = true;
    bench.asked.length = 0;
    assert.ok((await bench.call("browser_navigate", { url: origin })).ok);
    assert.deepEqual(bench.asked, []);
  });

  test("an address or a text with a key in it goes nowhere, whoever allows it", async () => {
    const output = await open();
    const url = await bench.call("browser_navigate", { url: `${origin}/?k=sk-secret` });
    assert.match(url.output, /holds a key or password/);
    const typed = await bench.call("browser_type", { ref: refOf(output, "Name"), text: "my sk-secret" });
    assert.match(typed.output, /holds a key or password/);
    assert.deepEqual(bench.asked, []);
  });

  test("acting is asked about by the host, and nothing happens after a No", async () => {
    const output = await open();
    const outer = refOf(output, "Outer");
    await deny(async () => void (await bench.call("browser_click", { ref: outer })));
    assert.ok(!site.hits.includes("GET /pressed"));
    await bench.call("browser_type", { ref: refOf(output, "Name"), text: "x" });
    await bench.call("browser_press", { key: "Tab" });
    const seen = bench.asked.map(({ tool, args }) => [tool, args]);
    const args = { host, act: true };
    assert.deepEqual(seen, [
      ["browser_click", args],
      ["browser_type", args],
      ["browser_press", args],
    ]);
    assert.match(bench.asked[0]?.summary ?? "", /^click @\w+ on site\.example:\d+ in the browser$/);
    await bench.call("browser_click", { ref: outer });
    assert.ok(site.hits.includes("GET /pressed"));
  });

  test("looking, scrolling and going back ask nobody", async () => {
    await open();
    await open("/?again");
    for (const name of ["browser_snapshot", "browser_get_images", "browser_console", "browser_back"]) {
      assert.ok((await bench.call(name)).ok, name);
    }
    await bench.call("browser_scroll", { direction: "down" });
    assert.deepEqual(bench.asked, []);
  });

  test("an element in a frame of another host is asked about by that host", async () => {
    const output = await open();
    await bench.call("browser_click", { ref: refOf(output, "Inner") });
    assert.deepEqual(
      bench.asked.map(({ args }) => args),
      [{ host: otherHost, act: true }],
    );
    await bench.call("browser_press", { key: "Shift" });
    assert.deepEqual(bench.asked.at(-1)?.args, { host: otherHost, act: true }, "the focus is in the frame");
  });

  test("a page that goes elsewhere while the person thinks is not acted on", async () => {
    const output = await open("/leaving");
    bench.onAsk = async () => {
      mayLeave = true;
      for (let seen = ""; !/Title: Other/.test(seen);) {
        seen = (await bench.session("ses_0000000001").call("browser_snapshot", {}, signal)).output;
      }
    };
    const { ok, output: said } = await bench.call("browser_press", { key: "Enter" });
    bench.onAsk = async () => {};
    assert.equal(ok, false, output);
    assert.match(said, new RegExp(`went from ${host} to ${otherHost}`));
  });
});

const { signal } = new AbortController();
