import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { systemClock } from "../../lib/clock.ts";
import { spawnChild } from "../../lib/process/child.ts";
import { type ProcessIdentity, isAlive } from "../../lib/process/process-identity.ts";
import type { NetGuard } from "../net/guard.ts";
import {
  type BrowserBench,
  type Site,
  browserBench,
  needsChromium,
  pages,
  refOf,
  running,
  startSite,
  until,
} from "./browser-world.suite.ts";

const never = new AbortController().signal;
const plain = pages({
  "/": `<title>Plain</title><button onclick="document.title='clicked'">Press</button>`,
  "/silent": () => {},
  "/cookie": (request, answer) => {
    const seen = request.headers.cookie ?? "none";
    answer.writeHead(200, { "content-type": "text/html", "set-cookie": "who=first" });
    answer.end(`<title>cookie ${seen}</title>`);
  },
});

const left = (bench: BrowserBench): number => running(bench.childVariable).length;

describe("the life of the browser", { ...needsChromium, timeout: 120_000 }, () => {
  test("nothing is started before the first page, and nothing is left after the end", async () => {
    await using site = await startSite(plain);
    await using bench = await browserBench({ allowed: [site.place] });
    assert.match((await bench.call("browser_snapshot")).output, /No page is open.*browser_navigate/);
    assert.equal(left(bench), 0);
    await bench.call("browser_navigate", { url: site.origin });
    assert.ok(left(bench) > 0);
    await bench.close();
    assert.equal(left(bench), 0);
    assert.deepEqual(await readdir(bench.folder), []);
    assert.match((await bench.call("browser_navigate", { url: site.origin })).output, /program is ending/);
  });

  test("two sessions share the browser, but no cookie", async () => {
    await using site = await startSite(plain);
    await using bench = await browserBench({ allowed: [site.place] });
    const url = `${site.origin}/cookie`;
    const other = bench.session("ses_0000000002");
    await bench.call("browser_navigate", { url });
    assert.match((await bench.call("browser_navigate", { url })).output, /cookie who=first/);
    assert.match((await other.call("browser_navigate", { url }, never)).output, /cookie none/);
    const browsers = running(bench.childVariable).filter(
      ({ command }) => command.includes("--user-data-dir") && !command.includes("--type="),
    );
    assert.equal(browsers.length, 1);
  });

  test("Stop ends a navigation that nobody answers, at the server as well", async () => {
    const arrived = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    await using site = await startSite((_, answer) => {
      answer.once("close", () => gone.resolve());
      arrived.resolve();
    });
    await using bench = await browserBench({ allowed: [site.place] });
    const stop = new AbortController();
    const opening = bench.call("browser_navigate", { url: site.origin }, stop.signal);
    await arrived.promise;
    stop.abort(new Error("Stop"));
    assert.deepEqual(await opening, { ok: false, output: "interrupted" });
    await gone.promise;
  });

  test("a page that crashes is told, and the next one opens", async () => {
    await using site = await startSite(plain);
    await using bench = await browserBench({ allowed: [site.place] });
    await bench.call("browser_navigate", { url: site.origin });
    for (const { pid, command } of running(bench.childVariable)) {
      if (command.includes("--type=renderer")) process.kill(pid, "SIGKILL");
    }
    let said = "";
    while (!/No page is open/.test(said)) said += (await bench.call("browser_snapshot")).output;
    said += (await bench.call("browser_navigate", { url: site.origin })).output;
    assert.match(said, /^The page crashed and was closed\.$/m);
    assert.match(said, /Title: Plain\n.*\n.*$/);
  });

  test("a browser that was killed is started anew by the next page", async () => {
    await using site = await startSite(plain);
    await using bench = await browserBench({ allowed: [site.place] });
    await bench.call("browser_navigate", { url: site.origin });
    // Beside it there may be something that it has begun for a moment, which is no chromium.
    const main = running(bench.childVariable).find(
      ({ command }) => command.includes("--user-data-dir") && !command.includes("--type="),
    );
    assert.ok(main !== undefined);
    process.kill(main.pid, "SIGKILL");
    let said = "";
    while (!/No page is open/.test(said)) said = (await bench.call("browser_snapshot")).output;
    assert.match((await bench.call("browser_navigate", { url: site.origin })).output, /Title: Plain/);
  });

  test("a browser whose owner was killed ends by itself, and its folder goes with the next one", async () => {
    await using site = await startSite(plain);
    await using parts = new AsyncDisposableStack();
    const { path: folder } = parts.use(await tempFolder());
    const owner = parts.use(
      await spawnChild({
        command: process.execPath,
        args: ["--input-type=module", "-e", ownerProgram, folder],
        cwd: folder,
        env: { PATH: process.env["PATH"] ?? "" },
        kind: "test",
        registry: { add: async () => {}, remove: async () => {} },
        clock: systemClock,
      }),
    );
    const browser = JSON.parse(await firstLine(owner.stdout)) as ProcessIdentity;
    assert.ok(isAlive(browser));
    process.kill(owner.pid, "SIGKILL");
    await until(() => !isAlive(browser));
    const [profile = "none"] = await readdir(folder);
    await using bench = await browserBench({ allowed: [site.place], folder });
    await bench.call("browser_navigate", { url: site.origin });
    const now = await readdir(folder);
    assert.ok(now.length === 1 && !now.includes(profile), `${profile} is still in ${now.join(" ")}`);
  });
});

/** Starts the browser, says which process it is, and waits to be killed. */
const ownerProgram = `
  import { startChromium } from ${JSON.stringify(new URL("./chromium.ts", import.meta.url))};
  import { findChromium } from ${JSON.stringify(new URL("./browser-tools.ts", import.meta.url))};
  import { systemClock } from ${JSON.stringify(new URL("../../lib/clock.ts", import.meta.url))};
  const browser = await startChromium({
    executable: findChromium(undefined, process.env.PATH).path,
    guard: { check: async () => ({ refused: "no" }) },
    folder: process.argv[1], env: process.env, childVariable: "BROWSER_TEST_OWNER", clock: systemClock,
    processes: { add: async (child) => void process.stdout.write(JSON.stringify(child) + "\\n"), remove: async () => {} },
  });
  await browser.newContext();
  process.stdout.write("ready\\n");
  setInterval(() => {}, 1000);`;

async function firstLine(source: AsyncIterable<Uint8Array>): Promise<string> {
  let said = "";
  for await (const chunk of source) {
    said += Buffer.from(chunk).toString("utf8");
    if (said.includes("ready")) return said.split("\n")[0] ?? "";
  }
  throw new Error(`it ended: ${said}`);
}

describe("the browser on a clock that stands still", { ...needsChromium, timeout: 120_000 }, () => {
  const clock = fakeClock();
  let site: Site;
  let bench: BrowserBench;
  let host = "";
  before(async () => {
    site = await startSite(plain);
    host = site.place.replace("127.0.0.1", "site.example");
    const guard: NetGuard = { check: async () => ({ address: "127.0.0.1", family: 4, others: [] }) };
    const access = { isKnown: async () => true, hasSecret: () => false, askUnknown: true, allowPrivate: [] };
    bench = await browserBench({ allowed: [], clock, guard, access });
  });
  after(async () => {
    let isClosed = false;
    const closing = Promise.resolve(bench[Symbol.asyncDispose]()).finally(() => {
      isClosed = true;
    });
    await until(() => {
      void clock.advance(20); // as above
      return isClosed;
    });
    await closing;
    await site[Symbol.asyncDispose]();
  });

  test("while a person thinks about a question the page stays", async () => {
    const { output } = await bench.call("browser_navigate", { url: `http://${host}/` });
    bench.onAsk = () => clock.advance(290_000);
    const clicked = await bench.call("browser_click", { ref: refOf(output, "Press") });
    assert.match(clicked.output, /Title: clicked/);
    assert.equal(bench.asked.length, 1);
  });

  test("a server that does not answer is given up after thirty seconds", async () => {
    const opening = bench.call("browser_navigate", { url: `http://${host}/silent` });
    await until(() => site.hits.includes("GET /silent"));
    await clock.advance(30_000);
    assert.match((await opening).output, new RegExp(`^${host} did not answer within 30 s`));
  });

  test("a session that is not used for two minutes loses its page, and the last one ends the browser", async () => {
    const other = bench.session("ses_0000000002");
    const url = `http://${host}/`;
    await bench.call("browser_navigate", { url });
    await other.call("browser_navigate", { url }, never);
    await clock.advance(100_000);
    assert.match((await bench.call("browser_snapshot")).output, /Title: Plain/);
    await clock.advance(30_000);
    assert.match((await other.call("browser_snapshot", {}, never)).output, /No page is open.*two minutes/);
    assert.match((await bench.call("browser_snapshot")).output, /Title: Plain/);
    await clock.advance(120_000);
    await until(() => {
      void clock.advance(20); // the end of its processes is looked for by the same clock
      return left(bench) === 0;
    });
  });
});

test("without Chromium the tools say what to do", async () => {
  await using bench = await browserBench({ allowed: [], env: { PATH: "/nowhere" } });
  const { ok, output } = await bench.call("browser_navigate", { url: "https://example.com" });
  assert.equal(ok, false);
  assert.match(output, /Chromium is not installed; `apt install chromium`, or set browser\.executable/);
});
