import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Address, type NetGuard, type Resolve, netGuard, hostPortOf, plainHost } from "./guard.ts";

const open = new AbortController().signal;
const publicOne: Address = { address: "93.184.216.34", family: 4 };
const publicTwo: Address = { address: "2606:2800:220:1::1", family: 6 };
const own: Address = { address: "127.0.0.1", family: 4 };

describe("the guard", () => {
  test("gives the address of a public name, and the others it has", async () => {
    const guard = netGuard({ allowPrivate: [], resolve: async () => [publicOne, publicTwo] });
    assert.deepEqual(await guard.check("example.com", 443, open), { ...publicOne, others: [publicTwo] });
  });

  test("takes a public address as it is, without asking for names", async () => {
    const guard = netGuard({ allowPrivate: [], resolve: nobodyAsks });
    assert.deepEqual(await guard.check("8.8.8.8", 80, open), { address: "8.8.8.8", family: 4, others: [] });
    const six = { address: "2606:4700::1111", family: 6, others: [] };
    assert.deepEqual(await guard.check("[2606:4700::1111]", 80, open), six);
    assert.deepEqual(await guard.check("2606:4700::1111", 80, open), six);
  });

  test("refuses a name of which any address is inside, whichever place it has", async () => {
    for (const addresses of [[own], [publicOne, own], [own, publicOne], [publicOne, publicTwo, own]]) {
      const guard = netGuard({ allowPrivate: [], resolve: async () => addresses });
      assert.match(await refusal(guard, "example.com"), /not on the public internet \(this machine\)/);
    }
  });

  test("looks a name up once", async () => {
    let calls = 0;
    const resolve: Resolve = async () => [(calls += 1) === 1 ? publicOne : own];
    const checked = await netGuard({ allowPrivate: [], resolve }).check("example.com", 80, open);
    assert.deepEqual([checked, calls], [{ ...publicOne, others: [] }, 1]);
  });

  const inner =
    "localhost LOCALHOST. a.b.localhost printer.local db.internal metadata.google.internal metadata instance-data " +
    "ip6-localhost router.home.arpa api.default.svc x.localdomain";
  for (const name of inner.split(" ")) {
    test(`refuses ${name} without looking it up`, async () => {
      const guard = netGuard({ allowPrivate: [], resolve: nobodyAsks });
      assert.match(await refusal(guard, name), /the name of an inner host/);
    });
  }

  test("looks up names that only resemble inner ones", async () => {
    const guard = netGuard({ allowPrivate: [], resolve: async () => [publicOne] });
    for (const name of [
      "mylocalhost.com",
      "local.example.com",
      "internal-docs.com",
      "metadata.example.com",
    ]) {
      assert.deepEqual(await guard.check(name, 80, open), { ...publicOne, others: [] });
    }
  });

  for (const host of [
    "",
    "a b",
    "a/b",
    "a\\b",
    "a?b",
    "a#b",
    "u@a",
    "a:80",
    "::1%lo",
    "[fe80::1%25lo]",
    "a..b",
    ".a",
    "%00",
  ]) {
    test(`does not take ${JSON.stringify(host)} for a host`, async () => {
      const guard = netGuard({ allowPrivate: [], resolve: nobodyAsks });
      assert.match(await refusal(guard, host), /is not a host/);
    });
  }

  test("refuses port 0 and nothing else", async () => {
    const guard = netGuard({ allowPrivate: [] });
    assert.match(await refusal(guard, "8.8.8.8", 0), /not a port/);
    for (const port of [1, 22, 25, 6379, 65_535])
      assert.ok("address" in (await guard.check("8.8.8.8", port, open)));
  });

  test("lets through what the person allowed: that host at that port", async () => {
    const guard = netGuard({
      allowPrivate: ["127.0.0.1:8080", "Nas.Local:80", "[::1]:81"],
      resolve: async () => [own],
    });
    assert.deepEqual(await guard.check("127.0.0.1", 8080, open), { ...own, others: [] });
    assert.deepEqual(await guard.check("nas.local", 80, open), { ...own, others: [] });
    assert.deepEqual(await guard.check("[::1]", 81, open), { address: "::1", family: 6, others: [] });
    for (const [host, port] of [
      ["127.0.0.1", 8081],
      ["127.0.0.2", 8080],
      ["localhost", 8080],
      ["x.nas.local", 80],
      ["[::1]", 80],
    ] as const) {
      await refusal(guard, host, port);
    }
  });

  test("says what a person can do", async () => {
    const words = await refusal(netGuard({ allowPrivate: [] }), "0x7f.1", 8080);
    assert.match(words, /"127\.0\.0\.1:8080" to web\.allow_private/);
  });

  test("says when a name cannot be found, or has no address", async () => {
    const missing = Object.assign(new Error("no"), { code: "ENOTFOUND" });
    const lost = netGuard({ allowPrivate: [], resolve: () => Promise.reject(missing) });
    assert.match(await refusal(lost, "nowhere.example"), /could not be found \(ENOTFOUND\)/);
    assert.match(
      await refusal(netGuard({ allowPrivate: [], resolve: async () => [] }), "a.example"),
      /no address/,
    );
  });

  test("does not wait for a look-up when it is stopped", async () => {
    const stop = new AbortController();
    const guard = netGuard({ allowPrivate: [], resolve: () => new Promise(() => {}) });
    const checking = guard.check("slow.example", 80, stop.signal);
    stop.abort();
    assert.ok("refused" in (await checking));
    assert.ok("refused" in (await guard.check("slow.example", 80, stop.signal)));
  });
});

test("hosts are written in one way, whoever wrote them", () => {
  const same = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7F000001",
    "0177.0.0.01",
    "127.0.0.1.",
    "%3127.0.0.1",
    "１２７.0.0.1",
    "127。0。0。1",
  ];
  assert.deepEqual(new Set(same.map(plainHost)), new Set(["127.0.0.1"]));
  assert.equal(plainHost("[0:0::0:1]"), "[::1]");
  assert.equal(plainHost("BÜCHER.example."), "xn--bcher-kva.example");
});

test("a place is a host and a port, also where the port is not written", () => {
  assert.equal(hostPortOf(new URL("https://Example.com/a")), "example.com:443");
  assert.equal(hostPortOf(new URL("http://[::1]/")), "[::1]:80");
  assert.equal(hostPortOf(new URL("http://a.:8080/")), "a:8080");
});

async function refusal(guard: NetGuard, host: string, port = 80): Promise<string> {
  const checked = await guard.check(host, port, open);
  if (!("refused" in checked)) assert.fail(`${host}:${port} was let through to ${checked.address}`);
  return checked.refused;
}

const nobodyAsks: Resolve = () => Promise.reject(new Error("a name was looked up"));
