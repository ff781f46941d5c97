import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { describe, test } from "node:test";
import { type NetGuard, netGuard } from "../net/guard.ts";
import {
  type BrowserBench,
  type Site,
  browserBench,
  needsChromium,
  pages,
  refOf,
  startSite,
} from "./browser-world.suite.ts";

/** All ways that a page has to reach another place. Its title is `done` when each of them has ended. */
const prober = (target: string, udpPort: number): string => `<title>busy</title><body><script type="module">
  const over = (start) => new Promise((resolve) => { start(resolve); setTimeout(resolve, 1500); });
  const added = (tag, set) => over((end) => {
    const element = Object.assign(document.createElement(tag), set, { onload: end, onerror: end });
    document.body.append(element);
  });
  const at = (name) => "http://${target}/" + name;
  const socket = over((end) => { const s = new WebSocket("ws://${target}/socket"); s.onopen = s.onclose = end; });
  const worker = URL.createObjectURL(new Blob(["fetch('" + at("worker") + "', {mode: 'no-cors'}).finally(() => postMessage(1))"]));
  const rtc = over(async (end) => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${udpPort}" },
      { urls: "turn:127.0.0.1:${target.split(":")[1]}?transport=tcp", username: "u", credential: "c" }] });
    peer.createDataChannel("x");
    peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && end();
    await peer.setLocalDescription(await peer.createOffer());
  });
  await Promise.allSettled([
    fetch(at("fetch")), fetch(at("opaque"), { mode: "no-cors" }), socket, rtc,
    over((end) => { const x = new XMLHttpRequest(); x.open("POST", at("xhr")); x.onloadend = end; x.send("x"); }),
    added("img", { src: at("img") }), added("iframe", { src: at("frame") }), added("script", { src: at("script") }),
    added("link", { rel: "stylesheet", href: at("style") }), added("link", { rel: "prefetch", href: at("prefetch") }),
    added("link", { rel: "preconnect", href: at("") }), added("link", { rel: "dns-prefetch", href: at("") }),
    added("video", { src: at("video") }), added("object", { data: at("object") }),
    over((end) => { const e = new EventSource(at("events")); e.onerror = end; }),
    over((end) => { new Worker(worker).onmessage = end; }),
    over((end) => { navigator.sendBeacon(at("beacon"), "x"); setTimeout(end, 300); }),
    over((end) => { try { new WebTransport("https://127.0.0.1:${udpPort}/").ready.finally(end) } catch { end() } }),
    navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready)
      .then(() => over((end) => { navigator.serviceWorker.onmessage = end;
        navigator.serviceWorker.ready.then((r) => r.active.postMessage(at("service-worker"))); })),
  ]);
  document.title = "done";
</script>`;

const serviceWorker = `onmessage = (event) => event.waitUntil(
  fetch(event.data, { mode: "no-cors" }).catch(() => {}).then(() => event.source.postMessage("over")));`;

describe("what pages can reach", { ...needsChromium, timeout: 120_000 }, () => {
  test("no way leads from a page to a place on this machine that nobody allowed", async () => {
    await using world = await probed((canary) => [canary.place.replace("127.0.0.1", "nowhere.example")]);
    assert.deepEqual(world.canary.hits, []);
    assert.equal(world.connections(), 0);
    assert.equal(world.packets(), 0);
    const { output } = await world.bench.call("browser_console");
    assert.match(output, /Failed to load resource/);
  });

  test("to a place that is allowed, the same page gets through on every way that the proxy carries", async () => {
    await using world = await probed((canary) => [canary.place]);
    const ways = new Set(world.canary.hits.map((hit) => hit.split("/")[1]));
    for (const way of "fetch opaque socket xhr img frame script style worker beacon service-worker".split(
      " ",
    )) {
      assert.ok(ways.has(way), `${way} is missing in ${[...ways].join(" ")}`);
    }
    assert.equal(world.packets(), 0, "what is not HTTP goes nowhere");
  });

  test("redirects and links to such a place lead nowhere, and the reason is told", async () => {
    await using canary = await startSite((_, answer) => void answer.end("secret"));
    const other = canary.place.replace("127.0.0.1", "localhost");
    await using site = await startSite(
      pages({
        "/hop": (_, answer) => void answer.writeHead(302, { location: `${canary.origin}/hop` }).end(),
        "/": `<title>Links</title><a href="${canary.origin}/link">one</a><a href="http://${other}/">two</a>
          <a href="http://[::1]:${canary.place.split(":")[1]}/">three</a><a href="http://2130706433:${canary.place.split(":")[1]}/">four</a>
          <a href="https://${canary.place}/tls">five</a>`,
        "/meta": `<title>Meta</title><meta http-equiv="refresh" content="0;url=${canary.origin}/meta">`,
      }),
    );
    await using bench = await browserBench({ allowed: [site.place], loadMs: 1_000 });
    const hop = await bench.call("browser_navigate", { url: `${site.origin}/hop` });
    assert.equal(hop.ok, false);
    assert.match(hop.output, new RegExp(`^${canary.place} was not opened: .*not on the public internet`));
    for (const words of ["one", "two", "three", "four", "five"]) {
      const { output } = await bench.call("browser_navigate", { url: `${site.origin}/` });
      const clicked = await bench.call("browser_click", { ref: refOf(output, `"${words}"`) });
      assert.match(clicked.output, /was not let through|could not be loaded/, words);
      assert.doesNotMatch(clicked.output, /secret/);
    }
    const meta = await bench.call("browser_navigate", { url: `${site.origin}/meta` });
    // It leaves before it was read, or after.
    assert.match(meta.output, /Title: Meta|not let through|was not opened: .*not on the public internet/);
    assert.doesNotMatch(meta.output, /secret/);
    const direct = await bench.call("browser_navigate", { url: canary.origin });
    assert.match(direct.output, /web\.allow_private/);
    assert.deepEqual(canary.hits, []);
  });

  test("the browser says nothing of its own to anybody", async () => {
    await using site = await startSite(
      pages({ "/": `<form><input name="email" autocomplete="email"><button>Send</button></form>` }),
    );
    const wanted = new Set<string>();
    const { check } = netGuard({ allowPrivate: [site.place] });
    const guard: NetGuard = {
      check(host, port, signal) {
        wanted.add(`${host}:${port}`);
        return check(host, port, signal);
      },
    };
    await using bench = await browserBench({ allowed: [site.place], guard });
    const { output } = await bench.call("browser_navigate", { url: site.origin });
    await bench.call("browser_type", { ref: refOf(output, "textbox"), text: "a@b.example", submit: true });
    assert.deepEqual([...wanted], [site.place]);
  });
});

type Probed = AsyncDisposable & {
  readonly bench: BrowserBench;
  readonly canary: Site;
  connections(): number;
  packets(): number;
};

/** Lets a page try everything against a canary, and waits until it has. */
async function probed(allow: (canary: Site) => readonly string[]): Promise<Probed> {
  await using parts = new AsyncDisposableStack();
  let connections = 0;
  let packets = 0;
  const canary = parts.use(await startSite((_, answer) => void answer.end("canary")));
  canary.server.on("connection", () => (connections += 1));
  const udp = createSocket("udp4", () => (packets += 1));
  parts.defer(() => void udp.close());
  const udpPort = await new Promise<number>((resolve) =>
    udp.bind(0, "127.0.0.1", () => resolve(udp.address().port)),
  );
  const site = parts.use(
    await startSite(
      pages({
        "/": prober(canary.place, udpPort),
        "/sw.js": (_, answer) =>
          void answer.writeHead(200, { "content-type": "text/javascript" }).end(serviceWorker),
      }),
    ),
  );
  const bench = parts.use(await browserBench({ allowed: [site.place, ...allow(canary)] }));
  const { output } = await bench.call("browser_navigate", { url: `${site.origin}/` });
  for (let seen = output; !/^Title: done$/m.test(seen);) seen = (await bench.call("browser_snapshot")).output;
  const held = parts.move();
  return {
    bench,
    canary,
    connections: () => connections,
    packets: () => packets,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
